"""Agents, choices and solver of all declared games, made from their declarations."""

"""Agents of all declared games, made from their declarations."""

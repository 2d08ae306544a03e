"""Agents that play by plain rules, one module a game."""

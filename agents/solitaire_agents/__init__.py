"""Agents for patience games: anything that chooses moves."""

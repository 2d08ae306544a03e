"""Exact solvers for play with the stock open, one module a game."""

"""Pyramid: its agents, its choices, its solver."""

"""Klondike: its agents, its choices, its solver."""

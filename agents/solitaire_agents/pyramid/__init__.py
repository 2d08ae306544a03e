"""Pyramid: its agents, its view for the network, its solver."""

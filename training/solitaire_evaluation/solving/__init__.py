"""Solves deals exactly: one deal, or a list of deals as labels."""

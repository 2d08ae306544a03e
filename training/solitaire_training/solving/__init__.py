"""Exact answers: of one deal, and of lists of deals as labels."""

"""Patience games of piles, by declaration."""

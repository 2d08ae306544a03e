"""Klondike: heuristics, choices of learners."""

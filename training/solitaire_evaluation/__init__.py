"""Plays agents on the same deals, and measures how well they play."""

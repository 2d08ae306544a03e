"""Frozen lists of deals with what perfect play reaches, as package data."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where the lists are."""

"""The exact solver of Klondike, all cards known."""

"""The exact solver of Klondike with all cards known; callers use `api`."""

"""The exact solver of Pyramid with the order of the stock known; callers use `api`."""

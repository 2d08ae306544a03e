"""The exact solver of La tour infernale with the order of the stock known; callers use `api`."""

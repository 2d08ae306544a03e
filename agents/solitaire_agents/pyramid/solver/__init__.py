"""The exact solver of Pyramid, the order of the stock known: `api` is its front door."""

"""The exact solver of Pyramid, its stock open."""

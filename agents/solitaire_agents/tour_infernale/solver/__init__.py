"""The exact solver of La tour infernale, its stock open."""

"""La tour infernale: its agents, its choices, its solver."""

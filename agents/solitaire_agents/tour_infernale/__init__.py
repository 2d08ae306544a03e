"""La tour infernale: its agents, its view for the network, its solver."""

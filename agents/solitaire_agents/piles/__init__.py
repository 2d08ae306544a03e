"""What every declared game has on the side of the agents."""

"""Fitting: self-play, masked PPO, and the command line."""

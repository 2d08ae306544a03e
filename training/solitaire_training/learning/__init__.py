"""Fitting: masked PPO, with a warm start or without."""

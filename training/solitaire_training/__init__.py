"""Training and evaluation of agents for patience games."""

"""The command line. Each file holds a group of commands: their arguments, and what they run."""

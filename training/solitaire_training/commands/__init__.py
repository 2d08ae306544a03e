"""The command line: each file a group of commands, its arguments and what it runs."""

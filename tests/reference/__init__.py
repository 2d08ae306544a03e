"""The rules once more, in plain Python, written from the specification: slow, and the oracle for every kernel."""

"""How people see a declared game: moves in words, layout, gestures."""

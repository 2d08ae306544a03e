"""Play and analysis in the browser: `solitaire-rl serve`."""

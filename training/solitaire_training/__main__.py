"""``python -m solitaire_training`` is ``solitaire-rl``."""

import sys

from solitaire_training.commands.main import main

sys.exit(main())

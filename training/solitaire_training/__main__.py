"""``python -m solitaire_training`` is ``solitaire-rl``."""

import sys

from solitaire_training.cli import main

sys.exit(main())

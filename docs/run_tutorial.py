"""Runs the tutorial and stores its outputs in it: `python docs/run_tutorial.py`."""

from copy import deepcopy
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent / "tutorial.ipynb"
TIMEOUT = 900
"""Seconds that a cell may take."""


def main() -> None:
    """Runs all cells; stores what they print and draw, without progress bars and warnings."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    metadata = deepcopy(notebook.metadata)
    NotebookClient(notebook, timeout=TIMEOUT, record_timing=False).execute()
    notebook.metadata = metadata  # the run adds this machine's version of Python
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()

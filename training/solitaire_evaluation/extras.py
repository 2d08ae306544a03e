"""Finds the extra to install if a module is missing."""

EXTRAS = {
    "report": ("jinja2", "markupsafe", "matplotlib"),
    "train": ("optuna", "sb3_contrib", "stable_baselines3", "tensorboard", "torch", "yaml"),
    "render": ("PIL", "pygame"),
    "datasets": ("minari",),
    "web": ("starlette", "uvicorn"),
    "cluster": ("ray",),
    "openenv": ("fastapi", "openenv", "pydantic"),
}
"""Extra of the package -> modules that it provides."""


TRAINS = ("train", "tune")
"""Commands that need the whole extra ``train``, whichever module is missing first."""


def missing_extra(error: ModuleNotFoundError, command: str = "") -> str | None:
    """Returns a line that says what to install; None if no extra provides the module, which is then a defect."""
    missing = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if missing in modules:
            chosen = "train" if command in TRAINS else extra
            advice = " (PyTorch's CPU build, installed first, saves gigabytes)" if missing == "torch" else ""
            return f"expected the module {missing}, got none: pip install 'solitaire-rl[{chosen}]'{advice}"
    return None

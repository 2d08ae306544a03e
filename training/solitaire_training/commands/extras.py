"""What the base install leaves out, and which extra brings it."""

EXTRAS = {
    "report": ("jinja2", "markupsafe", "matplotlib"),
    "train": ("optuna", "sb3_contrib", "stable_baselines3", "tensorboard", "torch", "yaml"),
    "render": ("PIL", "pygame"),
    "datasets": ("minari",),
    "web": ("starlette", "uvicorn"),
    "cluster": ("ray",),
}
"""Extra of the package -> modules that it brings."""


TRAINS = ("train", "tune")
"""Commands that need the whole of the extra ``train``, whatever is missed first."""


def missing_extra(error: ModuleNotFoundError, command: str = "") -> str | None:
    """Returns a line that says what to install; None if the missing module is of no extra, which is a defect."""
    missing = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if missing in modules:
            chosen = "train" if command in TRAINS else extra
            advice = " (PyTorch's CPU build, installed first, saves gigabytes)" if missing == "torch" else ""
            return f"expected the module {missing}, got none: {install(chosen)}{advice}"
    return None


def install(extra: str) -> str:
    """Returns the command that installs an extra."""
    return f"pip install 'solitaire-rl[{extra}]'"

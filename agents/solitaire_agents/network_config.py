"""The sizes of a network. This module needs no PyTorch, so settings are checked before it is loaded."""

from dataclasses import asdict, dataclass
from typing import Any

MAX_SIZE = 8_192
"""Of the widths and the numbers of layers."""


@dataclass(frozen=True)
class NetworkConfig:
    """The sizes of a network."""

    token_width: int = 32
    """Width of a place's token."""
    message_width: int = 8
    """Width of a message between two places."""
    rounds: int = 3
    """Rounds of messages."""
    summary_width: int = 12
    """Width of the summary of a place that goes into the table's layers."""
    trunk_width: int = 256
    """Width of the table's layers."""
    trunk_layers: int = 2
    """Number of them."""

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as plain values."""
        return asdict(self)

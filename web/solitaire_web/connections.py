"""How many connections there may be, and how much each may send before it has asked for anything."""

import asyncio
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEADER = 16 * 1024
"""Bytes, of the first line and all headers of a request."""
MAX_CONNECTIONS = 200
"""With more, the one that has been silent longest is closed."""
MAX_REQUESTS = 256
"""Under way at a time; more are answered with 503."""


class Connection(H11Protocol):
    """A connection that makes room for others while it waits for a request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Closes the longest silent of too many; those that never asked for anything first."""
        super().connection_made(transport)
        self.began = self.loop.time()
        others: list[Any] = [one for one in self.connections if one is not self and not one.transport.is_closing()]
        silent = [one for one in others if one.cycle is None or one.cycle.response_complete]
        if len(others) >= MAX_CONNECTIONS and silent:
            min(silent, key=lambda one: (one.cycle is not None, one.began)).transport.close()


def make_config(app: Any) -> uvicorn.Config:
    """Returns the settings of the server."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",  # it has none, and two Ctrl-C would print how it was cut short
        log_level="warning",
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=MAX_HEADER,
        limit_concurrency=MAX_REQUESTS,
        timeout_graceful_shutdown=1,  # an analysis under way does not keep the command
    )

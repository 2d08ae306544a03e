"""Limits the number of connections, and the size of the headers of a request."""

import asyncio
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEADER = 16 * 1024
"""Bytes of the request line and all headers, at most."""
MAX_CONNECTIONS = 200
"""With more, one that waits for a request is closed."""
MAX_REQUESTS = 256
"""Requests handled at the same time, at most; further ones get status 503."""


class Connection(H11Protocol):
    """A connection that may be closed to make room for others while it waits for a request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Closes a waiting connection if there are too many: the oldest, but first those without any request so far."""
        super().connection_made(transport)
        self.began = self.loop.time()
        others: list[Any] = [one for one in self.connections if one is not self and not one.transport.is_closing()]
        silent = [one for one in others if one.cycle is None or one.cycle.response_complete]
        if len(others) >= MAX_CONNECTIONS and silent:
            min(silent, key=lambda one: (one.cycle is not None, one.began)).transport.close()


def make_config(app: Any) -> uvicorn.Config:
    """Returns uvicorn's settings."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",  # the app has none, and a second Ctrl-C would print a message about it
        log_level="warning",
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=MAX_HEADER,
        limit_concurrency=MAX_REQUESTS,
        timeout_graceful_shutdown=1,  # an analysis delays the end by a second at most
    )

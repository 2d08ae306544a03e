"""ASGI middleware before the app: filters requests, limits their size, and adds security headers to responses."""

import asyncio
import hmac
from collections.abc import Collection
from urllib.parse import quote

from starlette.datastructures import MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 64 * 1024
"""Bytes of a request's body, at most."""
BODY_SECONDS = 10.0
"""Seconds in which a body has to arrive."""
TOKEN = "token"
"""Name of the cookie, and of the query parameter of the first visit, that hold the token."""
SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


class Guard:
    """Passes on only small requests of this server's own page.

    The Origin header keeps out pages of other sites. The Host header keeps out pages whose host name was made to point
    to this machine (DNS rebinding).

    Args:
        app: The app.
        hosts: Names of this server with their port, such as ``127.0.0.1:8000``.
        token: The token that a visitor has to know; empty: none is needed.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], token: str = "") -> None:
        self._app, self._token = app, token
        self._hosts = {*hosts, *(host.removesuffix(":80") for host in hosts)}  # browsers leave out HTTP's default port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request by the ASGI protocol."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        answer = _with_headers(send)
        refused = self._from_elsewhere(scope, headers) or _unfit(scope, headers)
        if refused is not None:
            await _refusal(*refused)(scope, receive, answer)
        elif self._token and not self._knows_token(headers):
            await self._let_in(scope)(scope, receive, answer)
        else:
            await self._pass_on(scope, receive, answer)

    def _from_elsewhere(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or headers["host"].lower() not in self._hosts:
            return 403, "expected the name of this server in Host, got another: serve --allow-host NAME:PORT adds one"
        origin = headers.get("origin")
        scheme, _, host = (origin or "").lower().partition("://")
        if origin is not None and (scheme not in ("http", "https") or host not in self._hosts):  # a tunnel may add TLS
            return 403, "expected a request of this server's own page, got one of another site"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "expected a request of this server's own page, got one of another site"
        return None

    def _knows_token(self, headers: dict[str, str]) -> bool:
        given = cookie_parser(headers.get("cookie", "")).get(TOKEN, "")
        return hmac.compare_digest(given.encode(), quote(self._token, safe="").encode())

    def _let_in(self, scope: Scope) -> Response:
        """Returns a redirect that moves the token from the URL into a cookie; or a refusal."""
        given = QueryParams(scope.get("query_string", b"")).get(TOKEN, "")
        if scope["path"] != "/" or not hmac.compare_digest(given.encode(), self._token.encode()):
            return _refusal(401, "expected the token: open the address that `solitaire-rl serve` has printed")
        cookie = f"{TOKEN}={quote(self._token, safe='')}; HttpOnly; SameSite=Strict; Path=/"
        return RedirectResponse("/", 303, {"set-cookie": cookie, "connection": "close"})

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reads the whole body first, so that the app never waits for a slow sender or reads too much."""
        body, whole = b"", scope["method"] != "POST"
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while not whole:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return
                    body, whole = body + message.get("body", b""), not message.get("more_body")
                    if len(body) > MAX_BODY:
                        refusal = _refusal(413, f"expected a body of at most {MAX_BODY} bytes")
                        await refusal(scope, receive, send)
                        return
        except TimeoutError:
            refusal = _refusal(408, f"expected the whole body within {BODY_SECONDS:g} seconds")
            await refusal(scope, receive, send)
            return
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def read() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, read, send)


def _unfit(scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
    if scope["method"] not in ("GET", "HEAD", "POST"):
        return 405, "expected GET or POST"
    if scope["method"] == "POST" and headers.get("content-type", "").partition(";")[0] != "application/json":
        return 415, "expected application/json"
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 12 or int(length) > MAX_BODY:
        return 413, f"expected a body of at most {MAX_BODY} bytes"
    return None


def _with_headers(send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, text in HEADERS.items():
                headers.setdefault(name, text)
        await send(message)

    return answer


def _refusal(status: int, reason: str) -> Response:
    return JSONResponse({"error": reason}, status, {"connection": "close"})

"""The server's endpoints. Each request holds its whole position; the server stores only games that count."""

import asyncio
import json
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import asdict, replace
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from solitaire_envs.cards import deck_text
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.render import layout_of
from solitaire_envs.transcript import Transcript, parse_transcript
from solitaire_evaluation.people import COUNTED_DEALS, CountedGame, Games, check_goes_on, check_player
from solitaire_web.about import about, daily, env_of, language_of, languages, words_of
from solitaire_web.analyses import Agents, Analyses
from solitaire_web.guard import Guard
from solitaire_web.positions import IllegalMoveError, PositionCache, describe_position
from solitaire_web.request import Body, RefusedError, checked_moves, read_body
from solitaire_web.starting import Starting

LOG = logging.getLogger("solitaire_web")
MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}
"""Suffix of a file of the page -> its type."""


class Server:
    """Handles the requests to all endpoints.

    Args:
        games: The store of games that count.
        named: Agents named when the server was started.

    Raises:
        ValueError: One of these agents plays none of the games.
    """

    def __init__(self, games: Games, named: Collection[str] = ()) -> None:
        playable = list(dict.fromkeys(entry.game for entry in CATALOGUE.values()))
        self._agents = Agents(list(named), playable)
        self._games, self._positions = games, PositionCache()
        self._analyses = Analyses(self._agents)
        self._files, self._about = dict(_read_files()), about(self._agents)
        self._words = {language: words_of(language) for language in languages()}

    def starting(self) -> Starting:
        """Returns an object that prepares the games, and answers requests until they are ready."""
        return Starting(self._analyses)

    def close(self) -> None:
        """Ends the threads of the analyses."""
        self._analyses.close()

    # --- The page -----------------------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        """Returns a file of the page; status 404 for any other name."""
        name = request.path_params.get("name", "index.html")
        if name not in self._files:
            raise HTTPException(404, "expected a file of the page, got another name")
        return Response(self._files[name], media_type=MEDIA_TYPES[name.rpartition(".")[2]])

    async def about(self, request: Request) -> Response:
        """Returns the environments, options and agents on offer, the deal of the day, and the texts in a language."""
        language = language_of(request.query_params.get("languages", ""))
        return _json({**self._about, "daily": daily(), "language": language, "words": self._words[language]})

    # --- Positions ----------------------------------------------------------------------------------------------------

    async def position(self, request: Request) -> Response:
        """Returns the position that moves lead to."""
        position = (await _body(request)).position()
        await self._check_free(position)
        return _json(describe_position(await self._positions.engine(position), position))

    async def write(self, request: Request) -> Response:
        """Returns the transcript of a position."""
        position = (await _body(request)).position()
        await self._check_free(position)
        engine = await self._positions.engine(position)
        return _json({"text": replace(position, outcome=engine.outcome(0)).to_text()})

    async def read(self, request: Request) -> Response:
        """Parses a transcript; returns the content of a request for its last position."""
        text = (await _body(request)).text("text", 60_000)
        try:
            position = parse_transcript(text)
            env, moves = env_of(position), checked_moves(position.moves)
        except ValueError as error:
            raise RefusedError(str(error), reason="transcript") from None
        await self._check_free(position)
        await self._positions.engine(position)
        dealt = {"deal": str(position.deal)} if position.deck is None else {"deck": deck_text(position.deck)}
        return _json({"env": env, "options": asdict(position.options), **dealt, "moves": " ".join(moves)})

    async def why(self, request: Request) -> Response:
        """Returns why a card may not be put on another, as a text; empty if the game has no explanation."""
        body = await _body(request)
        places = body.text("source"), body.text("target")
        engine = await self._positions.engine(await self._asked(body))
        tops = {spot.place: spot for spot in layout_of(engine, 0).spots}
        found = [tops[place] for place in places if place in tops]
        why = engine.game.words.why_not(*found) if len(found) == len(places) else ""
        return _json({"why": getattr(why, "text", why), "values": getattr(why, "values", {})})

    async def _asked(self, body: Body) -> Transcript:
        """Returns the position of a request, or that of the game that counts which it names."""
        if "game" in body.content:
            game = await asyncio.to_thread(self._games.find, body.text("game"))
            return game.transcript
        position = body.position()
        await self._check_free(position)
        return position

    async def _check_free(self, position: Transcript) -> None:
        """Refuses a position of a deal that is being played for the count: it would allow undo and analysis there.

        Raises:
            RefusedError: Somebody is playing this deal for the count.
        """
        if position.deal is not None and position.deal not in COUNTED_DEALS:
            return
        if await asyncio.to_thread(self._games.is_being_played, position.cards):
            raise RefusedError(
                "expected another deal: this one is being played for the count, so it is closed", 403, "closed"
            )

    # --- Analysis -----------------------------------------------------------------------------------------------------

    async def analyse(self, request: Request) -> Response:
        """Streams the analysis of a position by an agent and, if wanted, the solver."""
        solver = (await _body(request)).content.get("solver") is True
        return await self._stream(request, lambda *asked: self._analyses.analysis(*asked, solver=solver))

    async def review(self, request: Request) -> Response:
        """Streams the review of a game, a line for each position."""
        return await self._stream(request, self._analyses.review)

    async def choice(self, request: Request) -> Response:
        """Streams one line: an agent's move."""
        return await self._stream(request, self._analyses.choice)

    async def _stream(self, request: Request, answer: Callable[..., Iterator[dict[str, Any]]]) -> Response:
        body = await _body(request)
        position, (_, options), name = body.position(), body.rules(), body.text("agent")
        await self._check_free(position)
        await self._positions.engine(position)  # refuses illegal moves
        self._agents.check(name, position.game)
        return self._answer(answer(position, name, options))

    async def perfect(self, request: Request) -> Response:
        """Streams one line: the solver's verdict on the deal, with the stock open."""
        position = (await _body(request)).position()
        await self._check_free(position)
        return self._answer(self._analyses.perfect(position))

    async def stuck(self, request: Request) -> Response:
        """Streams one line: whether it is proved, by what the player has seen, that no move can help any more."""
        position = await self._asked(await _body(request))
        await self._positions.engine(position)  # refuses illegal moves
        return self._answer(self._analyses.stuck(position))

    async def deal(self, request: Request) -> Response:
        """Streams one line: a random deal that can be won, and is as hard as wanted."""
        body = await _body(request)
        return self._answer(self._analyses.deal(body.env_spec(), body.text("difficulty")))

    async def agents(self, request: Request) -> Response:
        """Streams one line: which agents play under the options, and which of them gives hints."""
        return self._answer(self._analyses.fitting(*(await _body(request)).rules()))

    def _answer(self, lines: Iterator[dict[str, Any]]) -> Response:
        return _Stream(_lines(self._analyses.stream(lines)), self._analyses.places)

    # --- Games that count ---------------------------------------------------------------------------------------------

    async def start(self, request: Request) -> Response:
        """Returns a person's unfinished game, or starts a new one."""
        body = await _body(request)
        with _refusing("player"):
            player = check_player(body.text("player"))
        game = await asyncio.to_thread(self._games.offer, player, body.env_spec())
        return _json(await self._show(game, game.transcript.moves))

    async def move(self, request: Request) -> Response:
        """Adds moves to a game that counts. If it ends or is given up, it is stored as finished."""
        body = await _body(request)
        game = await asyncio.to_thread(self._games.find, body.text("game"))
        return _json(await self._show(game, body.moves(), give_up=body.content.get("give_up") is True))

    async def _show(self, game: CountedGame, moves: Sequence[str], *, give_up: bool = False) -> dict[str, Any]:
        """Plays a game on. The legal moves are stored before any response, even if a later move is refused."""
        with _refusing("counted"):
            check_goes_on(game, moves)
        made, position = game.transcript.moves, replace(game.transcript, moves=moves, outcome=None)
        try:
            engine = await self._positions.engine(position)
        except IllegalMoveError as error:
            if error.legal > len(made):
                await self._show(game, moves[: error.legal])
            raise
        shown, outcome = describe_position(engine, position), engine.outcome(0)
        ended = bool(engine.states.ended[0]) or give_up
        if len(moves) > len(made) or (ended and game.finished is None):
            played = replace(position, outcome=outcome) if ended else position
            await asyncio.to_thread(self._games.go_on, game.id, played)
        return {
            **shown,
            "game": game.id,
            "env": game.env,
            "options": asdict(position.options),
            "deal": str(game.deal),
            "text": " ".join(moves),
            "kept": ended or game.finished is not None,
        }

    async def games(self, request: Request) -> Response:
        """Returns the finished games of a person in an environment."""
        body = await _body(request)
        with _refusing("player"):
            player = check_player(body.text("player"))
        env_spec = body.env_spec()
        rows = await asyncio.to_thread(self._games.finished, player, env_spec.env, env_spec.options)
        return _json({"games": [{"deal": str(row.deal), "finished": row.finished, **row.outcome} for row in rows]})


# --- Answers ----------------------------------------------------------------------------------------------------------


async def _body(request: Request) -> Body:
    return read_body(await request.body())


@contextmanager
def _refusing(reason: str) -> Iterator[None]:
    """Turns a `ValueError` into a `RefusedError` with a reason."""
    try:
        yield
    except ValueError as error:
        raise RefusedError(str(error), reason=reason) from None


def _json(content: Any, status: int = 200) -> Response:
    return JSONResponse(content, status, {"cache-control": "no-store"})


class _Stream(StreamingResponse):
    """A response that is streamed line by line. It holds a place among the analyses until it ends.

    Args:
        lines: The lines to send.
        places: The places among the analyses.
    """

    def __init__(self, lines: AsyncIterator[str], places: asyncio.Semaphore) -> None:
        super().__init__(lines, media_type="application/x-ndjson")
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the response by the ASGI protocol.

        Raises:
            RefusedError: All places are taken.
        """
        if self._places.locked():
            raise RefusedError("expected fewer analyses at a time: try again soon", 429, "busy")
        async with self._places:  # one is free, so nothing waits
            await super().__call__(scope, receive, send)


async def _lines(answer: AsyncIterator[dict[str, Any]]) -> AsyncIterator[str]:
    """Yields an answer as lines of JSON. The last line says that the answer is complete, or why it is not."""
    end: dict[str, Any] = {"kind": "end"}
    try:
        async with aclosing(answer) as lines:  # type: ignore[type-var]
            async for line in lines:
                yield json.dumps(line, separators=(",", ":")) + "\n"
    except RefusedError as error:
        end = {"kind": "error", "error": str(error), "reason": error.reason}
    except Exception:
        LOG.exception("an analysis failed")
        end = {"kind": "error", "error": FAULT, "reason": "fault"}
    yield json.dumps(end) + "\n"


FAULT = "a fault of the server; its log says more"


async def _refuse(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return _json({"error": str(error.detail)}, error.status_code)
    if isinstance(error, RefusedError):
        return _json({"error": str(error), "reason": error.reason}, error.status)
    if isinstance(error, sqlite3.Error):
        LOG.error("games cannot be kept: %s", error)
        return _json({"error": f"the games that count cannot be read or written: {error}"}, 503)
    return _json({"error": str(error)}, 400)


async def _fail(request: Request, error: Exception) -> Response:
    LOG.error("a request failed", exc_info=error)
    return _json({"error": FAULT, "reason": "fault"}, 500)


def _read_files() -> Iterator[tuple[str, bytes]]:
    """Yields name and content of each file of the page, and of ``cards.js``, which it shares with the report."""
    for folder in (files("solitaire_web") / "static", files("solitaire_evaluation.report") / "templates"):
        for file in folder.iterdir():
            if folder.name == "static" or file.name == "cards.js":
                yield file.name, file.read_bytes()


def make_app(server: Server, hosts: Collection[str], token: str = "", starting: Starting | None = None) -> ASGIApp:
    """Returns the ASGI app.

    Args:
        server: Handles the requests.
        hosts: As in `Guard`.
        token: As in `Guard`.
        starting: Answers requests until the games are prepared; None: requests reach the server at once.
    """
    small = [Middleware(GZipMiddleware)]
    once = {"/": server.page, "/static/{name}": server.page, "/api/about": server.about}
    routes = [Route(path, answer, middleware=small) for path, answer in once.items()]
    for name, answer in {
        "position": server.position,
        "why": server.why,
        "write": server.write,
        "read": server.read,
        "analyse": server.analyse,
        "review": server.review,
        "choice": server.choice,
        "perfect": server.perfect,
        "stuck": server.stuck,
        "deal": server.deal,
        "agents": server.agents,
        "count/start": server.start,
        "count/move": server.move,
        "count/games": server.games,
    }.items():
        routes.append(Route(f"/api/{name}", answer, methods=["POST"]))
    refusals: dict[Any, Any] = dict.fromkeys((RefusedError, HTTPException, ValueError, sqlite3.Error), _refuse)
    app: Any = Starlette(routes=routes, exception_handlers={**refusals, Exception: _fail})
    return Guard(app if starting is None else starting.before(app), hosts, token)

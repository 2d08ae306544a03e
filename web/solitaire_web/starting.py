"""Prepares the games while the server already listens. On a new machine their kernels have to be compiled first."""

from html import escape
from itertools import islice

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from solitaire_agents.catalogue import kit_of
from solitaire_envs.catalogue import CATALOGUE
from solitaire_evaluation.descriptions import title_of_game
from solitaire_web.about import language_of, words_of
from solitaire_web.analyses import Analyses
from solitaire_web.positions import describe_position, play_through
from solitaire_web.request import Body

TEXTS = (
    "Patience",
    "{game} is being prepared, {n} of {all}.",
    "The first start on a machine takes longest. The page loads when everything is ready.",
)
_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/page.css">
<script type="module" src="/static/starting.js"></script>
</head>
<body>
<header><h1>{title}</h1></header>
<main><div>
<p id="progress" role="status">{progress}</p>
<p class="note">{note}</p>
</div></main>
</body>
</html>
"""
ERROR = {"error": "the games are being prepared: ask again in a second", "reason": "starting"}
DEALS = 4
"""Deals that the preparation analyses: some need kernels that others do not."""
ASK_AGAIN = {"retry-after": "1", "cache-control": "no-store"}


def prepared() -> list[str]:
    """Returns the environments of games with trained agents; the others are compiled when they are played."""
    return [env for env, entry in CATALOGUE.items() if kit_of(entry.game).trained]


class Starting:
    """Prepares games and analyses in one thread, and answers requests in another until the games are ready.

    Args:
        analyses: The analyses.
    """

    def __init__(self, analyses: Analyses) -> None:
        self._analyses, self._done, self._envs = analyses, 0, prepared()
        self._env = self._envs[0]

    def prepare(self) -> None:
        """Compiles or loads what a move and a hint in each of them need. After that, requests reach the app."""
        for env in self._envs:
            self._env = env
            _prepare_game(self._env)
            _prepare_analysis(self._env, self._analyses)
            self._done += 1

    def before(self, app: ASGIApp) -> ASGIApp:
        """Returns an app that itself answers requests for the page and the API until the games are prepared."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            path, early = scope.get("path", ""), self._done < len(self._envs)
            one = app
            if early and path == "/":
                one = self._page(Request(scope))
            elif early and path.startswith("/api/"):
                one = JSONResponse(ERROR, 503, ASK_AGAIN)
            await one(scope, receive, send)

        return answer

    def _page(self, request: Request) -> Response:
        """Returns a page that says what is being prepared. Its script loads the real page once that is ready."""
        language = language_of(request.headers.get("accept-language", ""))
        words, game = words_of(language), CATALOGUE[self._env].game
        title, progress, note = (words.get(text, text) for text in TEXTS)
        name = title_of_game(game)
        told = progress.format(game=words.get(name, name), n=self._done + 1, all=len(self._envs))
        texts = {"language": language, "title": title, "progress": told, "note": note}
        page = _PAGE.format(**{place: escape(text) for place, text in texts.items()})
        return Response(page, 503, ASK_AGAIN, "text/html")


def _prepare_game(env: str) -> None:
    position = _position(env).position()
    (engine,) = play_through(position)
    engine.step(np.array(engine.legal_actions(0)[:1]))
    describe_position(engine, position)


def _prepare_analysis(env: str, analyses: Analyses) -> None:
    env_spec, options = _position(env).rules()
    (agents,) = analyses.fitting(env_spec, options)
    for deal in range(DEALS):
        lines = analyses.analysis(_position(env, deal).position(), agents["adviser"], options, solver=True)
        for _ in islice(lines, 3):  # up to the verdict
            pass


def _position(env: str, deal: int = 0) -> Body:
    return Body({"env": env, "deal": str(deal), "moves": ""})

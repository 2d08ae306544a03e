"""Games for language models over a socket, by the protocol of OpenEnv: text out, text in, one game a session."""

from functools import partial
from importlib.metadata import version
from typing import Annotated, Any
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from openenv.core.env_server import (
    Action,
    ConcurrencyConfig,
    Environment,
    Observation,
    State,
    create_app,
)
from openenv.core.env_server.types import EnvironmentMetadata
from pydantic import BeforeValidator, Field

from solitaire_envs.checks import short
from solitaire_evaluation.chat_env import ChatEnv

IDLE_SECONDS = 600.0
"""A session without a socket, which only OpenEnv's requests for tools can open, is closed after this."""
MAX_LISTED = 10_000
"""Tasks in one list, at most."""


class ChatAction(Action):  # type: ignore[misc]  # openenv is not in the environment of the checks
    """An answer of the model. One field is required, so clients take a plain text for it."""

    move: Annotated[str, BeforeValidator(str)] = Field(description="the answer in words; its last line is the move")
    """Clients read an answer such as `10` as JSON, and so send a number."""


class ChatObservation(Observation):  # type: ignore[misc]
    """What the model sees. Until the game ends, the metadata are empty, since some clients show them to the model."""

    text: str = Field(description="the table; in the first one of a game, the rules before it")


class ChatServerEnv(Environment):  # type: ignore[misc]
    """The environment of one session.

    Args:
        settings: An environment with the settings of the server.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, settings: ChatEnv) -> None:
        super().__init__()
        self._settings, self._env, self._episode = settings, settings, ""

    def reset(self, seed: int | None = None, episode_id: str | None = None, **deal: Any) -> ChatObservation:
        """Deals a game.

        Args:
            seed: As in `ChatEnv.reset`.
            episode_id: A name of the game, for the client; None: a random one.
            **deal: ``split`` and ``index``, as in `ChatEnv.reset`.

        Raises:
            ValueError: An argument is invalid; the game under way goes on.
        """
        if unknown := sorted(deal.keys() - {"split", "index"}):
            raise ValueError(f"expected seed, episode_id, split and index, got {short(unknown[0])}")
        if self._env is self._settings:  # a session that only asks for tasks needs no game
            self._env = self._settings.spawn()
        text, _ = self._env.reset(seed=seed, **deal)
        self._episode = episode_id or str(uuid4())
        return self._seen(text, None)

    def step(self, action: ChatAction, timeout_s: float | None = None, **others: Any) -> ChatObservation:
        """Takes an answer.

        Raises:
            ValueError: No game is under way.
        """
        text, reward, *_ = self._env.step(action.move)
        return self._seen(text, reward)

    def _seen(self, text: str, reward: float | None) -> ChatObservation:
        over = self._env.over
        return ChatObservation(text=text, reward=reward, done=over, metadata=self._env.info() if over else {})

    @property
    def state(self) -> State:
        """The infos of `ChatEnv` about the game under way: for trainers, not for the model."""
        return State(episode_id=self._episode or None, step_count=self._env.turns, **self._env.info())

    def get_metadata(self) -> EnvironmentMetadata:
        """Returns what the server offers."""
        about = f"{self._settings.env_id} of solitaire-rl as text, with exact rewards"
        return EnvironmentMetadata(name=name_of(self._settings), description=about, version=version("solitaire-rl"))

    # --- Tasks: the deals

    def list_splits(self) -> list[str]:
        """Returns the names of the splits."""
        return list(self._settings.splits)

    def num_tasks(self, split: str) -> int:
        """Returns the number of deals of a split."""
        return self._settings.num_deals(split)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Returns what `reset` takes to deal one game, and its deal number."""
        return {"id": f"{split}-{index}", **self._settings.task(split, index)}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """Returns the tasks [start, stop) of a split.

        Raises:
            ValueError: There are more than `MAX_LISTED`.
        """
        places = range(self.num_tasks(split))[start:stop]
        if len(places) > MAX_LISTED:
            raise ValueError(f"expected a range of at most {MAX_LISTED:,} tasks, got {len(places):,}")
        return [self.get_task(split, index) for index in places]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Returns the first tasks of a split, `MAX_LISTED` at most."""
        return self.get_task_range(split, 0, MAX_LISTED)


def name_of(env: ChatEnv) -> str:
    """Returns the name of the environment in the server's addresses: its id without the namespace."""
    return env.env_id.rpartition("/")[2]


def make_openenv_app(settings: ChatEnv, sessions: int) -> FastAPI:
    """Builds the server's app.

    Args:
        settings: An environment with the settings of all sessions.
        sessions: Most sessions at a time.
    """
    limits = ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=IDLE_SECONDS)
    make = partial(ChatServerEnv, settings)
    app = create_app(make, ChatAction, ChatObservation, env_name=name_of(settings), concurrency_config=limits)
    app.add_exception_handler(ValueError, _refuse)
    return app


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    """Answers a wrong request over HTTP as sessions do, with what was expected."""
    return JSONResponse({"detail": str(error)}, status_code=400)

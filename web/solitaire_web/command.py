"""The commands ``serve``, a page for people, and ``openenv``, games for language models."""

import argparse
import re
import secrets
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from solitaire_training.commands.arguments import (
    add_data_argument,
    add_game_arguments,
    add_import_argument,
    import_chosen,
    listed,
    number,
    number_or_text,
    parse_options,
    whole,
)

EVERY_ADDRESS = ("0.0.0.0", "[::]")
"""Hosts that stand for all addresses of this machine."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PORT = 8_765
MAX_MESSAGE = 2**20
"""Bytes of a message of a language model's session, at most."""
SWITCH_SECONDS = 0.000_5
"""Python's interval for switching threads, short so that analyses do not slow down play."""


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=whole(0, 65_535), default=PORT, help=f"port (default {PORT}; 0: any free one)")
    parser.add_argument("--no-open", action="store_true", help="do not open the page in a browser")
    add_data_argument(parser)
    parser.add_argument(
        "--agents", default="", help="folders of trained agents or module:agent to offer, with commas between"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address for other machines; they have to know the token")
    parser.add_argument(
        "--allow-host",
        default="",
        metavar="NAMES",
        help="further names by which browsers reach the server, such as localhost:9000 through a tunnel; with commas "
        "between",
    )
    parser.add_argument("--token", help="what other machines have to know (default: a random one)")
    add_import_argument(parser)


def _add_openenv(parser: argparse.ArgumentParser) -> None:
    add_game_arguments(parser)
    add_import_argument(parser)
    parser.add_argument(
        "--reward",
        default="win",
        help="what the rewards of a game sum to: win (default), 1 or 0; score, from the lowest to the highest as 0..1; "
        "shaped, the win with potential-based shaping by the score",
    )
    parser.add_argument("--hide-moves", action="store_true", help="list the legal moves only for the answer 'moves'")
    parser.add_argument("--moves-per-turn", type=whole(1, 1_000), default=1, help="most moves of an answer (default 1)")
    parser.add_argument(
        "--max-turns", type=whole(1, 2**31 - 2), default=1_000, help="answers after which a game ends (default 1000)"
    )
    parser.add_argument("--regret", action="store_true", help="have the solver judge each move, for the trainer")
    parser.add_argument("--test", action="store_true", help="offer the test deals and no others, for an evaluation")
    parser.add_argument(
        "--deals", type=number_or_text, help="training deals: the first N, FIRST-LAST, or a file (default: 1,000,000)"
    )
    parser.add_argument("--winnable", action="store_true", help="only labelled training deals that can be won")
    parser.add_argument(
        "--difficulty",
        type=lambda text: tuple(number()(each) for each in text.split(",")),
        metavar="LOW,HIGH",
        help="a band of the labelled training deals, from 0, the easiest, to 1",
    )
    parser.add_argument("--sessions", type=whole(1, 100_000), default=1_024, help="most at a time (default 1024)")
    parser.add_argument("--port", type=whole(0, 65_535), default=8_000, help="port (default 8000; 0: any free one)")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen at (default: this machine's own); there is no password"
    )


def _openenv(chosen: argparse.Namespace) -> None:
    import uvicorn

    from solitaire_envs.catalogue import find_entry
    from solitaire_evaluation.chat_env import ChatEnv
    from solitaire_web.openenv_server import make_openenv_app

    import_chosen(chosen)
    names = ("reward", "moves_per_turn", "max_turns", "regret", "test", "deals", "winnable", "difficulty")
    settings = {name: getattr(chosen, name) for name in names}
    options = parse_options(find_entry(chosen.env).game, chosen.options)
    env = ChatEnv(chosen.env, tell_moves=not chosen.hide_moves, **settings, **options)
    env.spawn().reset()  # compiles the game before the first session waits for it
    listening = _listen(in_brackets(chosen.host), chosen.port)
    config = uvicorn.Config(
        make_openenv_app(env, chosen.sessions),
        log_level="warning",
        ws_max_size=MAX_MESSAGE,
        timeout_graceful_shutdown=1,
    )
    port = listening.getsockname()[1]
    print(f"serving {chosen.env} at http://{in_brackets(chosen.host)}:{port} (Ctrl-C ends)", flush=True)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        print("ended")
        raise


def _serve(chosen: argparse.Namespace) -> None:
    import uvicorn

    from solitaire_envs.checks import short
    from solitaire_evaluation.people import Games
    from solitaire_web.app import Server, make_app
    from solitaire_web.connections import make_config

    import_chosen(chosen)
    chosen.host = in_brackets(chosen.host)
    if not (chosen.token or "").isprintable():
        raise ValueError(f"--token: expected printable characters, got {short(chosen.token)}")
    server = Server(Games(chosen.data), listed(chosen.agents))
    listening = _listen(chosen.host, chosen.port)
    host, port = chosen.host, listening.getsockname()[1]
    further = listed(chosen.allow_host.lower())
    own = all(_name_of(each) in LOOPBACK for each in (host, *further))
    token = chosen.token or ("" if own else secrets.token_urlsafe(16))
    starting = server.starting()
    hosts = {f"{name}:{port}" for name in (*LOOPBACK, *_names(host), *further)}
    app: Any = make_app(server, hosts | set(further), token, starting)
    address = _address(host, port, token)
    print(f"serving at {address} (Ctrl-C ends)", flush=True)
    if not chosen.no_open:
        webbrowser.open(address)
    sys.setswitchinterval(SWITCH_SECONDS)
    running, faults = uvicorn.Server(make_config(app)), list[Exception]()

    def prepare() -> None:
        try:
            starting.prepare()
        except Exception as error:
            faults.append(error)
            running.should_exit = True

    threading.Thread(target=prepare, daemon=True).start()  # nothing waits for its end
    try:
        running.run(sockets=[listening])
    except KeyboardInterrupt:
        print("ended")
        raise
    finally:
        server.close()
    if faults:
        raise faults[0]


def _address(host: str, port: int, token: str) -> str:
    """Returns the address to open."""
    from solitaire_web.guard import TOKEN

    name = socket.gethostname() if host in EVERY_ADDRESS else host
    return f"http://{name}:{port}/" + (f"?{urlencode({TOKEN: token})}" if token else "")


def _listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens.

    Raises:
        ValueError: The address is not one of this machine's, or the port is in use.
    """
    try:
        return socket.create_server(
            (host.strip("[]"), port),
            family=socket.AF_INET6 if ":" in host else socket.AF_INET,
            dualstack_ipv6=host == "[::]" and socket.has_dualstack_ipv6(),
        )
    except OSError as error:
        raise ValueError(f"expected an address of this machine and a free port, got {host}:{port}: {error}") from None


def _names(host: str) -> set[str]:
    """Returns the host names by which other machines may reach the server."""
    if host in LOOPBACK:
        return set()
    name, addresses = socket.gethostname(), set[str]()
    with suppress(OSError):  # a machine's own name may not resolve
        addresses = {str(found[4][0]) for found in socket.getaddrinfo(name, None)}
    return {each.lower() for each in (host, name, socket.getfqdn(), *map(in_brackets, addresses))}


def in_brackets(host: str) -> str:
    """Returns a host as it stands in a URL: an address of IPv6 in brackets."""
    return f"[{host}]" if ":" in host and "[" not in host else host


def _name_of(host: str) -> str:
    """Returns a host without its port."""
    return re.sub(r":[0-9]+$", "", host)


ARGUMENTS = {"serve": (_add_serve, _serve), "openenv": (_add_openenv, _openenv)}

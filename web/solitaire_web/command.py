"""The command ``serve``."""

import argparse
import secrets
import socket
import sys
import threading
import webbrowser
from typing import Any
from urllib.parse import urlencode

from solitaire_training.commands.arguments import add_data_argument, add_import_argument, import_chosen, whole

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PORT = 8_765
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
    parser.add_argument("--token", help="what other machines have to know (default: a random one)")
    add_import_argument(parser)
    parser.set_defaults(run=_serve)


ARGUMENTS = {"serve": _add_serve}


def _serve(chosen: argparse.Namespace) -> None:
    import uvicorn

    from solitaire_envs.checks import short
    from solitaire_evaluation.people import Games
    from solitaire_web.app import Server, make_app
    from solitaire_web.connections import make_config

    import_chosen(chosen)
    chosen.host = f"[{chosen.host}]" if ":" in chosen.host and "[" not in chosen.host else chosen.host
    if not (chosen.token or "").isprintable():
        raise ValueError(f"--token: expected printable characters, got {short(chosen.token)}")
    server = Server(Games(chosen.data), [name for name in chosen.agents.split(",") if name])
    listening = _listen(chosen.host, chosen.port)
    host, port = chosen.host, listening.getsockname()[1]
    token = chosen.token or ("" if host in LOOPBACK else secrets.token_urlsafe(16))
    starting = server.starting()
    app: Any = make_app(server, {f"{name}:{port}" for name in (*LOOPBACK, *_names(host))}, token, starting)
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

    name = socket.gethostname() if host == "0.0.0.0" else host
    return f"http://{name}:{port}/" + (f"?{urlencode({TOKEN: token})}" if token else "")


def _listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens.

    Raises:
        ValueError: The address is not one of this machine's, or the port is in use.
    """
    try:
        return socket.create_server((host.strip("[]"), port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise ValueError(f"expected an address of this machine and a free port, got {host}:{port}: {error}") from None


def _names(host: str) -> set[str]:
    """Returns the host names by which other machines may reach the server."""
    if host in LOOPBACK:
        return set()
    name = socket.gethostname()
    return {host.lower(), name.lower(), *socket.gethostbyname_ex(name)[2]}

"""Bots behind a server: any server, or one of another revision, both called through the service's protocol."""

import atexit
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from clerestory.engine import State
from clerestory.search.arena.bots import Budget, Decision, NamedBot, limits, parse_bot
from clerestory.search.arena.errors import BadBot
from clerestory.search.arena.revisions import built
from clerestory.search.root import Root

if TYPE_CHECKING:
    from clerestory.clients import Advisor

AskServer = Callable[[State, int, float | None, int | None, int | None], Decision]
# (view, seed, seconds, iterations, level) -> (action, iterations)
PATIENCE = 10.0  # seconds to wait for an unavailable server
OPEN = ExitStack()  # connections and servers of this process
atexit.register(OPEN.close)


def parse_any_bot(text: str) -> NamedBot:
    """Return the bot that a text describes, also one behind a server. Raises BadBot."""
    return parse_bot(text, REMOTE_BOTS)


def server(
    root: Root,
    seed: int,
    budget: Budget,
    *,
    target: str,
    level: int = 0,
    token_file: str = "",
    tls_ca: str = "",
    tls_cert: str = "",
    tls_key: str = "",
) -> Decision:
    """What a server recommends, as in `server:HOST:PORT,level=3`, at a level or at full strength.

    `tls_ca` connects with TLS. Its time counts from the question to the answer.
    """
    ask = connected(target, token_file, tls_ca, tls_cert, tls_key)
    return ask(root.view, seed, *limits(budget), level or None)


def revision(root: Root, seed: int, budget: Budget, *, target: str, level: int = 0) -> Decision:
    """What another revision of this package recommends, as in `revision:COMMIT`: a server of it, with one worker.

    The commit is built once, from the repository in this folder, into the user's folder of caches.
    """
    return started(target)(root.view, seed, *limits(budget), level or None)


REMOTE_BOTS = {"server": server, "revision": revision}


# -- servers: the functions import gRPC, which other bots do not need ------------------------------


def recommended(
    advisor: "Advisor", view: State, seed: int, seconds: float | None, iterations: int | None, level: int | None
) -> Decision:
    """Return the action that a server recommends for a view, and the iterations of its search.

    Raises BadBot with the server's message.
    """
    from clerestory.clients import AdvisorError

    try:
        advice = advisor.recommend(view, seconds, iterations=iterations, seed=seed, level=level, lines=1)
    except AdvisorError as error:
        raise BadBot(f"the server of a bot: {error}") from None
    assert advice.best is not None, "there is something to decide"
    return advice.best.text, advice.iterations


@cache
def connected(target: str, token_file: str, ca: str, cert: str, key: str) -> AskServer:
    """Return a function that calls a server over this process's only connection to it. Raises BadBot."""
    from clerestory.clients import Advisor, BadConnection, Tls

    try:
        token = Path(token_file).read_text().strip() if token_file else None
        tls = Tls(ca or None, cert or None, key or None) if ca or cert or key else None
        return partial(recommended, OPEN.enter_context(Advisor(target, token, tls, patience=PATIENCE)))
    except (OSError, UnicodeDecodeError, BadConnection) as error:
        raise BadBot(f"server:{target}: {error}") from None


@cache
def started(commit: str) -> AskServer:
    """Start a server of a commit, with one worker and defaults otherwise; return a function that calls it.

    Raises BadBot.
    """
    from clerestory.clients import Advisor, AdvisorError
    from clerestory.clients.child import child_server

    command = [str(built(commit) / "venv" / "bin" / "clerestory")]
    try:
        child = OPEN.enter_context(child_server(command, "--workers", "1"))
        return partial(recommended, OPEN.enter_context(Advisor(child.target, patience=0)))
    except (OSError, AdvisorError) as error:
        raise BadBot(f"revision:{commit}: its server does not start: {error}") from None

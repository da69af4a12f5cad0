"""Players behind a server: any server, or one of another revision, both called through the service's protocol."""

import atexit
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path

from clerestory.clients import Advisor, AdvisorError, BadConnection, Tls
from clerestory.clients.child import child_server
from clerestory.engine.core import State
from clerestory.search.arena.errors import BadBot
from clerestory.search.arena.revisions import built

AskServer = Callable[[State, int, float | None, int | None, int | None], tuple[str, int]]
# (view, seed, seconds, iterations, level) -> (action, iterations)
PATIENCE = 10.0  # seconds to wait for an unavailable server
OPEN = ExitStack()  # connections and servers of this process
atexit.register(OPEN.close)


def advised(
    advisor: Advisor, view: State, seed: int, seconds: float | None, iterations: int | None, level: int | None
) -> tuple[str, int]:
    """Return the action that a server recommends for a view, and the iterations of its search.

    Raises BadBot with the server's message.
    """
    try:
        advice = advisor.recommend(view, seconds, iterations=iterations, seed=seed, level=level, lines=1)
    except AdvisorError as error:
        raise BadBot(f"the server of a bot: {error}") from None
    assert advice.best is not None, "there is something to decide"
    return advice.best.text, advice.iterations


@cache
def connected(target: str, token_file: str, ca: str, cert: str, key: str) -> AskServer:
    """Return a function that calls a server over this process's only connection to it. Raises BadBot."""
    try:
        token = Path(token_file).read_text().strip() if token_file else None
        tls = Tls(ca or None, cert or None, key or None) if ca or cert or key else None
        return partial(advised, OPEN.enter_context(Advisor(target, token, tls, patience=PATIENCE)))
    except (OSError, UnicodeDecodeError, BadConnection) as error:
        raise BadBot(f"server:{target}: {error}") from None


@cache
def started(commit: str) -> AskServer:
    """Start a server of a commit, with one worker and defaults otherwise; return a function that calls it.

    Raises BadBot.
    """
    command = [str(built(commit) / "venv" / "bin" / "clerestory")]
    try:
        child = OPEN.enter_context(child_server(command, "--workers", "1"))
        return partial(advised, OPEN.enter_context(Advisor(child.target, patience=0)))
    except (OSError, AdvisorError) as error:
        raise BadBot(f"revision:{commit}: its server does not start: {error}") from None

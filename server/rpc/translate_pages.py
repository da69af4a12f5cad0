"""Pagination of game lists: parses page requests and creates page tokens."""

import base64
import binascii
import re
from collections.abc import Sequence

from clerestory.server.games.store import GameFilter
from clerestory.server.games.viewer import GAME_ID, digest_of
from clerestory.service_errors import Reason, raise_error
from clerestory.v1 import games_pb2 as games

USUAL, MOST = 50, 100  # games on a page
MAX_TOKENS = 100
LATEST = (1 << 63) - 1  # milliseconds since 1970, the maximum that a store can hold
PAGE = re.compile(rf"(\d{{1,19}}) ({GAME_ID.pattern})", re.ASCII)
GAME = re.compile(r"[\w-]{0,64}", re.ASCII)  # the name of a game, known to this server or not
STATUSES = {games.GAME_STATUS_OPEN: "open", games.GAME_STATUS_RUNNING: "running", games.GAME_STATUS_OVER: "over"}


def wanted_of(request: games.GameServiceListGamesRequest) -> GameFilter:
    """Return the query for a page plus one game, which shows whether more follow.

    Raises ServiceError: BAD_PAGE, BAD_GAME.
    """
    size = request.page_size or USUAL
    if size > MOST:
        raise_error(Reason.BAD_PAGE, "page_size", f"is {size}; must be {MOST} at most")
    if len(request.tokens) > MAX_TOKENS:
        raise_error(Reason.BAD_PAGE, "tokens", f"has {len(request.tokens)} tokens; must have {MAX_TOKENS} at most")
    if request.status and request.status not in STATUSES:
        raise_error(
            Reason.BAD_PAGE, "status", "must be open, running or over; frozen games are listed if it is left out"
        )
    if not GAME.fullmatch(request.game):
        raise_error(Reason.BAD_GAME, "game", f"{request.game[:40]!r} is not the name of a game")
    return GameFilter(
        limit=size + 1,
        game=request.game,
        status=STATUSES.get(request.status, ""),
        tokens=tuple(map(digest_of, request.tokens)) if request.tokens else None,
        before=read_page(request.page_token) if request.page_token else None,
    )


def next_page(found: Sequence[tuple[str, int]], limit: int) -> str:
    """Return the token of the next page; "" if there is none."""
    if len(found) < limit:
        return ""
    game_id, created = found[limit - 2]
    return base64.urlsafe_b64encode(f"{created} {game_id}".encode()).decode()


def read_page(token: str) -> tuple[int, str]:
    """Return the position at which a page begins. Raises ServiceError: BAD_PAGE."""
    try:
        found = PAGE.fullmatch(base64.urlsafe_b64decode(token.encode()).decode())
    except (ValueError, binascii.Error):
        found = None
    if found is None or int(found[1]) > LATEST:
        raise_error(Reason.BAD_PAGE, "page_token", "is not the next_page_token of an earlier answer")
    return int(found[1]), found[2]


def cursor_of(request: games.WatchGameRequest) -> int | None:
    """Return the version that a watcher already has; None for none."""
    return request.from_version if request.HasField("from_version") else None

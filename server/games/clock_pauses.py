"""Clock pauses: gives back time that players lost while games were not playable or when the clock jumped."""

from collections import OrderedDict
from collections.abc import Callable
from math import inf

from clerestory.server.games.background import remember
from clerestory.server.games.hosted import HostedGame

LEAST_NOTICE = 10.0  # seconds that a player gets once games are playable again, whatever the deadline was
JUMP = 1000  # milliseconds; a larger change of the clock counts as a jump


class ClockPauses:
    """The pauses in which no player's time runs out.

    Args:
        now: returns milliseconds since 1970, by a clock that can be adjusted.

    Attributes:
        since: the time since which all games have been continuously playable, by that clock as it is now.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._lost = 0  # size of its jump at the end of the last pause, in milliseconds
        self._seen: tuple[int, float] | None = None  # its last reading, and the steady time of that reading
        self._barred: OrderedDict[str, float] = OrderedDict()  # end of the last store failure, by game
        self.since = now()

    def end(self) -> None:
        """Record that games are playable again."""
        self.since, self._lost = self._now(), 0

    def look(self, steady: float) -> None:
        """Detect whether the clock has jumped, given a steady time in seconds, which stops during system sleep."""
        now = self._now()
        before, then = self._seen or (now, steady)
        self._seen = now, steady
        ahead = now - before - int(1000 * (steady - then))
        if abs(ahead) > JUMP:
            self.since, self._lost = before + ahead, max(0, ahead)
            self._barred = OrderedDict((game_id, until) for game_id, until in self._barred.items() if until == inf)

    def bar(self, game_id: str) -> None:
        """Record that a game could not be stored, so that its player could not move either."""
        remember(self._barred, game_id, inf)

    def bars(self, game_id: str) -> bool:
        """Return whether the last attempt to store a game failed."""
        return self._barred.get(game_id) == inf

    def unbar(self, game_id: str) -> None:
        """Record that a game can be stored again."""
        if self.bars(game_id):
            self._barred[game_id] = self._now()

    def began(self, game_id: str) -> int:
        """Return the time since which a game has been continuously playable."""
        return self.since if self.bars(game_id) else max(self.since, int(self._barred.get(game_id, 0)))

    def due_at(self, hosted: HostedGame, held: int = 0) -> int | None:
        """Return when the server has to move, in milliseconds since 1970: 0 for a bot, immediately; None for never.

        For a person, the server moves at the deadline. If the turn began before the last pause, the deadline moves,
        because it may have passed during the pause; a clock for the whole game starts again after it. `held` is the
        part of the turn, in milliseconds, that passed before it was shown.
        """
        if hosted.mover is not None:
            return 0  # even if the clock has been set back since its turn began
        if hosted.deadline is None:
            return None
        deadline = int(hosted.deadline) + held
        if hosted.since < self.since:
            deadline += self._lost
        began = self.began(hosted.head.game_id)
        if hosted.since >= began:
            return deadline
        left = (hosted.time_for_move or 0) if hosted.clocks else 0
        return max(deadline, began + int(max(left, 1000 * LEAST_NOTICE)))

"""When games could not be played, or the clock jumped: what a person lost by it is given back."""

from collections import OrderedDict
from collections.abc import Callable
from math import inf

from clerestory.games.kept import ServerGame
from clerestory.games.recent import remember

LEAST_NOTICE = 10.0  # seconds that a person has once the games can be played again, whatever the deadline was
JUMP = 1000  # milliseconds by which a clock is not set without a jump


class Breaks:
    """The breaks in which nobody's time to move runs out.

    Args:
        now: returns milliseconds since 1970, by a clock that may be set.

    Attributes:
        since: from when on games could be played here without a break, by that clock as it is now.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._lost = 0  # milliseconds by which it jumped at the end of the last break
        self._seen: tuple[int, float] | None = None  # what it said, at which steady time
        self._barred: OrderedDict[str, float] = OrderedDict()  # until when some games could not be stored
        self.since = now()

    def end(self) -> None:
        """Note that games can be played again."""
        self.since, self._lost = self._now(), 0

    def look(self, steady: float) -> None:
        """Notice whether the clock has jumped, given seconds that nobody sets, and that stand in sleep."""
        now = self._now()
        before, then = self._seen or (now, steady)
        self._seen = now, steady
        ahead = now - before - int(1000 * (steady - then))
        if abs(ahead) > JUMP:
            self.since, self._lost = before + ahead, max(0, ahead)
            self._barred = OrderedDict((game_id, until) for game_id, until in self._barred.items() if until == inf)

    def bar(self, game_id: str) -> None:
        """Note that a game could not be stored, so that whoever has to decide in it could not play either."""
        remember(self._barred, game_id, inf)

    def bars(self, game_id: str) -> bool:
        """Return whether a game could not be stored when that was tried last."""
        return self._barred.get(game_id) == inf

    def unbar(self, game_id: str) -> None:
        """Note that a game can be stored again."""
        if self.bars(game_id):
            self._barred[game_id] = self._now()

    def began(self, game_id: str) -> int:
        """Return from when on a game that can be stored could be played without a break."""
        return self.since if self.bars(game_id) else max(self.since, int(self._barred.get(game_id, 0)))

    def due_at(self, kept: ServerGame, held: int = 0) -> int | None:
        """Return when the server has to move, in milliseconds since 1970; None for never, 0 for a bot: at once.

        It moves for a person at the deadline, but not at once if the turn began before the last break: the deadline may
        have passed in it. `held` are milliseconds of the turn that went by before it was shown.
        """
        if kept.mover is not None:
            return 0  # though the clock may have been set back since its turn began
        if kept.deadline is None:
            return None
        deadline = int(kept.deadline) + held
        if kept.since < self.since:
            deadline += self._lost
        began = self.began(kept.head.game_id)
        return deadline if kept.since >= began else max(deadline, began + int(1000 * LEAST_NOTICE))

"""Provides the position of every ply of a game: keeps some, and replays the others from them."""

from collections.abc import Iterator
from itertools import islice
from typing import Self

from clerestory.engine.core import State

STRIDE = 16  # plies between two kept positions: the maximum to replay


class Positions:
    """The complete positions of a game. Do not modify returned positions.

    Args:
        opening: the position of ply 0.

    Attributes:
        last: the current position.
    """

    def __init__(self, opening: State) -> None:
        self.last = opening
        self._texts: list[str] = []  # the action or outcome of each ply from 1 on
        self._private: dict[int, tuple[tuple[int, str], ...]] = {}  # private outcomes of seats, by ply
        self._marks = [opening]  # the positions of plies 0, STRIDE, 2 STRIDE, ...

    def copy(self) -> Self:
        """Return an independent copy."""
        other = type(self).__new__(type(self))
        other.last, other._texts, other._private = self.last, list(self._texts), dict(self._private)
        other._marks = list(self._marks)
        return other

    @property
    def ply(self) -> int:
        """The current ply."""
        return len(self._texts)

    @property
    def hosted(self) -> int:
        """The number of positions in memory."""
        return len(self._marks) + 1

    def at(self, ply: int) -> State:
        """Return the position of a ply."""
        return self.last if ply == self.ply else next(self.since(ply))

    def since(self, ply: int) -> Iterator[State]:
        """Yield the positions of a ply and of those after it."""
        begun = ply // STRIDE * STRIDE
        return islice(self._replayed(begun), ply - begun, None)

    def _replayed(self, begun: int) -> Iterator[State]:
        yield (state := self._marks[begun // STRIDE])
        for ply in range(begun + 1, self.ply + 1):
            state = state.copy()
            state.play(self._texts[ply - 1])
            for seat, text in self._private.get(ply, ()):
                state.set_private_outcome(seat, text)
            yield state

    def play(self, text: str) -> None:
        """Add a ply. Raises GameError for an illegal action."""
        state = self.last.copy()
        state.play(text)
        self._texts.append(text)
        self._become(state.copy())  # without its history

    def set_private_outcome(self, seat: int, text: str) -> None:
        """Set the private outcome of a seat in the current position. Raises GameError for an impossible one."""
        state = self.last.copy()
        state.set_private_outcome(seat, text)
        self._private[self.ply] = (*self._private.get(self.ply, ()), (seat, text))
        self._become(state)

    def _become(self, state: State) -> None:
        self.last = state
        if self.ply % STRIDE == 0:
            self._marks[self.ply // STRIDE :] = [state]

    def back_to(self, ply: int) -> None:
        """Drop the plies after this one."""
        self.last = self.at(ply)
        del self._texts[ply:]
        del self._marks[ply // STRIDE + 1 :]
        self._private = {at: said for at, said in self._private.items() if at <= ply}

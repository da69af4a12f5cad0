"""Derives the state of a hosted game from its log: seats, positions, and the current turn; without I/O or a clock."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, Self

from clerestory.engine.core import State
from clerestory.engine.games import GAMES, from_position
from clerestory.engine.record import Record
from clerestory.engine.scoring import ScoreSource, points_by_cause
from clerestory.i18n.sentences import Text, format_text, text
from clerestory.server.games.log import BY_ITSELF, MOVES, EndReason, Entry, EntryKind, Head, Holder, SeatKind, early_end

STRIDE = 16  # plies between two kept positions: the maximum to replay
ENTRY_BYTES, POSITION_BYTES, LEAST_BYTES = 180, 720, 4096  # memory of an entry, of a position, of the rest


class Positions:
    """The complete positions of a game: some are kept, the others replayed from them. Do not modify returned positions.

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
            for seat, outcome in self._private.get(ply, ()):
                state.set_private_outcome(seat, outcome)
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


@dataclass(frozen=True, slots=True)
class TakeBackProposal:
    """A proposed take-back that waits for consent.

    Attributes:
        ply: the ply to return to.
        seat: the seat that proposed it.
        agreed: seats that have agreed, including the one that proposed it.
    """

    ply: int
    seat: int
    agreed: frozenset[int]


class HostedGame:
    """A game at one version: its head and the entries so far.

    Attributes:
        entries: all entries; their number is the version.
        line: the entries that lead to the position, one per ply.
        why_frozen: why this server cannot play the game; None if it can.
        positions: the complete position of every ply; None if the game is frozen.
        seats: the holders of the seats.
        proposal: the proposed take-back; None if there is none.
        ended: the entry that ended the game early; None if there is none.
        since: when the current turn began, in milliseconds since 1970.
        decision: the version with which it began.
        clocks: milliseconds that each seat had left for the whole game at that time; empty without such a limit.
    """

    def __init__(self, head: Head, entries: Iterable[Entry] = ()) -> None:
        self.head = head
        self.entries: list[Entry] = []
        self.line: list[Entry] = []
        self.seats: list[Holder] = list(head.seats)
        self.proposal: TakeBackProposal | None = None
        self.ended: Entry | None = None
        self._parts: list[dict[ScoreSource, float]] | None = None
        self.since = head.created
        self.decision = 0
        self._decider: int | None = None  # the person to move before the turn, whatever happened by itself in between
        seconds = head.options.seconds_per_game
        self.clocks = [] if seconds is None else [1000 * seconds] * len(head.seats)
        self.why_frozen = why_frozen(head)
        self.positions = None if self.why_frozen else Positions(from_position(head.opening))
        for entry in entries:
            self.add(entry)

    def score_parts(self) -> list[dict[ScoreSource, float]]:
        """Return the sources of each seat's points by card, for a game that is over."""
        assert self.positions is not None
        if self._parts is None:
            self._parts = points_by_cause(list(self.positions.since(0)), [entry.text for entry in self.line])
        return self._parts

    def copy(self) -> Self:
        """Return an independent copy."""
        other = type(self).__new__(type(self))
        other.head, other.proposal, other.ended, other.since = self.head, self.proposal, self.ended, self.since
        other.why_frozen, other._parts = self.why_frozen, self._parts
        other.decision, other._decider = self.decision, self._decider
        other.entries, other.line, other.clocks = list(self.entries), list(self.line), list(self.clocks)
        other.seats, other.positions = list(self.seats), self.positions and self.positions.copy()
        return other

    def until(self, later: "HostedGame", version: int) -> "HostedGame":
        """Return the game at a version, given a later state of it, without replaying all entries."""
        if version == later.version:
            return later
        game = self.copy()
        for entry in later.entries[self.version : version]:
            game.add(entry)
        return game

    def follows(self, earlier: "HostedGame") -> bool:
        """Return whether an earlier state led to this one, which is false if the store has lost entries."""
        return self.entries[earlier.version - 1 : earlier.version] == earlier.entries[-1:]

    # -- queries -----------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """The number of entries."""
        return len(self.entries)

    @property
    def ply(self) -> int:
        """The number of actions and outcomes that lead to the position."""
        return len(self.line)

    @property
    def weight(self) -> int:
        """The approximate memory in bytes."""
        positions = 0 if self.positions is None else self.positions.hosted
        return LEAST_BYTES + self.version * ENTRY_BYTES + positions * POSITION_BYTES

    @property
    def frozen(self) -> bool:
        """Whether this server has other rules or cards than the game."""
        return self.positions is None

    @property
    def frozen_reason(self) -> str:
        """Why this server cannot play the game, as an English sentence; "" if it can."""
        return "" if self.why_frozen is None else format_text(self.why_frozen, self.head.game)

    @property
    def waiting(self) -> bool:
        """Whether a seat is open."""
        return any(holder.kind == SeatKind.OPEN for holder in self.seats)

    @property
    def bots_only(self) -> bool:
        """Whether only bots hold seats, and no seat is open."""
        return all(holder.kind == SeatKind.BOT for holder in self.seats)

    @property
    def position(self) -> State:
        """The complete position; do not modify it."""
        assert self.positions is not None
        return self.positions.last

    @property
    def over(self) -> bool:
        """Whether it has ended, normally or early; for a frozen game, whether it was ended early."""
        return self.ended is not None or (not self.frozen and self.position.over)

    @property
    def running(self) -> bool:
        """Whether it is being played."""
        return not (self.frozen or self.over or self.waiting)

    @property
    def turn(self) -> int | None:
        """Whose turn it is, a seat or NATURE; None if no one can act."""
        return self.position.turn if self.running else None

    @property
    def person_to_move(self) -> int | None:
        """The seat of the person to move, whose time runs; None if there is none."""
        turn = self.turn
        return turn if turn is not None and turn >= 0 and self.seats[turn].kind == SeatKind.PERSON else None

    @property
    def called(self) -> int | None:
        """The version with which a person's turn began; None if no person is to move, or they have moved in it.

        It depends only on the log, and not on what happens during the turn, such as a change of another seat.
        """
        seat = self.person_to_move
        return None if seat is None or seat == self._decider else self.decision

    @property
    def time_for_move(self) -> float | None:
        """The milliseconds that the person to move had when the turn began; None for no limit."""
        seconds, seat = self.head.options.seconds_per_move, self.person_to_move
        if seat is None:
            return None
        limits = [] if seconds is None else [1000 * seconds]
        return min([*limits, *(max(0.0, left) for left in self.clocks[seat : seat + 1])], default=None)

    @property
    def deadline(self) -> float | None:
        """When the player to move runs out of time, in milliseconds since 1970; None for no limit."""
        time = self.time_for_move
        return None if time is None else self.since + time

    @property
    def mover(self) -> int | None:
        """The seat that a bot of the server has to move for, or None."""
        turn = self.turn
        return turn if turn is not None and turn >= 0 and self.seats[turn].kind == SeatKind.BOT else None

    def missing(self, proposal: TakeBackProposal) -> list[int]:
        """Return the seats of people who have not agreed to a take-back."""
        people = (seat for seat, holder in enumerate(self.seats) if holder.kind == SeatKind.PERSON)
        return [seat for seat in people if seat not in proposal.agreed]

    def decision_before(self, ply: int) -> int:
        """Return the ply that a take-back leads to, skipping forced actions, which would be replayed immediately."""
        if ply < self.ply and self.line[ply].kind == EntryKind.FORCED:
            while ply > 0 and self.line[ply].kind in BY_ITSELF:
                ply -= 1
        return ply

    @property
    def forced(self) -> str | None:
        """The text of the only legal action of a person to move, if the server is to play it; otherwise None."""
        if not self.head.options.play_forced or self.person_to_move is None:
            return None
        codes = self.position.legal_codes()
        return self.position.game.action(codes[0]).text if len(codes) == 1 else None

    def record(self, seat: int | None) -> Record:
        """Return the record as a seat may know it: NATURE for an onlooker, None for complete information."""
        assert self.positions is not None
        opening = self.positions.at(0)
        state = opening.copy() if seat is None else opening.observe(seat)
        for entry in self.line:
            state.play(entry.text)
        seed = None if self.head.begun or seat is not None else self.head.seed
        return Record(state, seed, None if self.ended is None else early_end(self.ended, len(self.seats)))

    # -- changes -----------------------------------------------------------------------------------

    def add(self, entry: Entry) -> None:
        """Add an entry. Raises GameError for an illegal action."""
        self._ADDED[entry.kind](self, entry)
        self.entries.append(entry)

    def _play(self, entry: Entry) -> None:
        self._end_turn(entry, self.head.options.increment if entry.kind == EntryKind.PLAYED else 0.0)
        if self.positions is not None:
            self.positions.play(entry.text)
        self.line.append(entry)
        self.proposal = None

    def _end_turn(self, entry: Entry, increment: float = 0.0) -> None:
        """Take the time of the turn from the clock of the person to move, who gains an increment if it took any."""
        seat, spent = self.person_to_move, entry.moment - self.since
        if self.clocks and seat is not None and spent > 0:
            self.clocks[seat] = max(0.0, self.clocks[seat]) - spent + 1000 * increment
        if entry.kind not in BY_ITSELF:
            self._decider = seat
        self.since, self.decision = entry.moment, self.version + 1

    def _give_back(self, entry: Entry) -> None:
        assert entry.seat is not None
        if self.clocks:
            self.clocks[entry.seat] += int(entry.text)

    def _back_to(self, entry: Entry) -> None:
        self._end_turn(entry)
        if self.positions is not None:
            self.positions.back_to(self.decision_before(entry.ply))
        del self.line[self.decision_before(entry.ply) :]
        self.proposal = None

    def _set_private_outcome(self, entry: Entry) -> None:
        assert entry.seat is not None
        if self.positions is not None:
            self.positions.set_private_outcome(entry.seat, entry.text)

    def _seat(self, entry: Entry) -> None:
        assert entry.seat is not None
        holder, before = entry.holder, self.seats[entry.seat]
        if self.waiting or (self.turn == entry.seat and holder.kind != before.kind):
            self._end_turn(entry)
        self.seats[entry.seat], self.proposal = holder, None

    def _agree(self, entry: Entry) -> None:
        assert entry.seat is not None
        if self.proposal is None or self.proposal.ply != entry.ply:
            self.proposal = TakeBackProposal(entry.ply, entry.seat, frozenset({entry.seat}))
        else:
            self.proposal = TakeBackProposal(entry.ply, self.proposal.seat, self.proposal.agreed | {entry.seat})

    def _decline(self, _: Entry) -> None:
        self.proposal = None

    def _end(self, entry: Entry) -> None:
        assert EndReason(entry.text) != EndReason.RESIGNED or entry.seat in range(len(self.seats))
        self.ended = entry

    _ADDED: ClassVar[Mapping[EntryKind, Callable[[Any, Entry], None]]] = {
        **dict.fromkeys(MOVES, _play),
        EntryKind.PRIVATE_OUTCOME: _set_private_outcome,
        EntryKind.TAKEN_BACK: _back_to,
        EntryKind.AGREED: _agree,
        EntryKind.DECLINED: _decline,
        EntryKind.SEATED: _seat,
        EntryKind.ENDED: _end,
        EntryKind.GIVEN_BACK: _give_back,
    }


def why_frozen(head: Head) -> Text | None:
    """Return how the rules or cards of a game differ from this server's; None if they do not."""
    game = GAMES.get(head.game)
    if game is None:
        return text("frozen.game", game=repr(head.game))
    if game.rules_revision != head.rules_revision:
        return text("frozen.rules", theirs=head.rules_revision, ours=game.rules_revision)
    if game.catalogue != head.catalogue:
        return text("frozen.cards", theirs=cards_of(head.catalogue), ours=cards_of(game.catalogue))
    return None


def cards_of(catalogue: str) -> str | Text:
    """Return a catalogue as an argument of a text."""
    return catalogue or text("frozen.none")

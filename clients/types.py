"""What a client gets to see."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Action:
    """One action of a game.

    Attributes:
        text: its name in positions, records and requests.
        label: the same in plain English.
    """

    text: str
    label: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Line:
    """One legal action, and what the search knows of it.

    Attributes:
        action: the action.
        visits: iterations that tried it.
        availability: iterations in which it was legal.
        win_shares: mean share of the win by seat, 0 to 1, whoever asks; all 0 where it was never tried.
    """

    action: Action
    visits: int
    availability: int
    win_shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The answer to a question. The same position, seat, seed and iterations, without a time, give the same lines.

    Attributes:
        seat: the seat that is to play `best`, and whose knowledge was used.
        best: the action to play.
        lines: every legal action, best first.
        iterations: determinizations searched.
        nodes: information sets in memory.
        tree_bytes: memory of the search tree.
        depth: decisions from the position to the deepest information set.
        elapsed: seconds spent searching, waiting not included.
        stop_reason: why the search ended: `time`, `iterations`, `stopped` (the server was told to finish),
            `decided` (what was left could not change the best line).
        memory_full: the tree stopped growing at its limit; the search went on with what it had.
        seed: of all luck in the search.
        rules_revision: of the rules that were searched.
        catalogue: hash of the card catalogue that was searched, "" for a game without one.
    """

    seat: int
    best: Action
    lines: tuple[Line, ...]
    iterations: int
    nodes: int
    tree_bytes: int
    depth: int
    elapsed: float
    stop_reason: str
    memory_full: bool
    seed: int
    rules_revision: int
    catalogue: str

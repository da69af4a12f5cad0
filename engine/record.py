"""Records of games: JSON lines with the opening position and then every action, including Nature's.

    {"record": 1, "seed": 7, "position": {"rules_revision": 1, "toy": {...}}}
    {"ply": 1, "by": "nature", "action": "turn-up 3"}
    {"ply": 2, "by": "nature", "action": "fair"}
    {"ply": 3, "by": "seat 0", "action": "play 4"}
    ...
    {"end": true, "plies": 8, "returns": [1.0, 0.0], "margins": [3.0, -3.0]}

`seed` is null if the opening was not dealt from a seed. An unfinished game has `"returns": null`. If the players ended
the game, the last line also has `"ended": "resigned", "winner": "seat 0"`, or `"ended": "abandoned", "winner": null`. A
file may contain several records. Reading a record replays it, so an impossible line is detected. A record that is still
being written has no last line yet; `begun=True` accepts it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from clerestory.engine.core import NATURE, State
from clerestory.engine.errors import BadRecord, GameError
from clerestory.engine.games import from_position

FORMAT = 1
ROUNDED = 1e-6  # points
RESIGNED, ABANDONED = "resigned", "abandoned"  # how players end a game


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """The end of a game by its players, before its rules ended it.

    Attributes:
        winner: the seat that won because the other resigned; None if the game was abandoned.
    """

    winner: int | None


@dataclass(frozen=True)
class Record:
    """One game as it was played.

    Attributes:
        state: the last position, with the whole game as its history.
        seed: seed of the opening position, None if it was not dealt from a seed.
        early: how its players ended it; None if they did not.
    """

    state: State
    seed: int | None = None
    early: EarlyEnd | None = None

    def lines(self) -> Iterator[str]:
        """Yield the record's lines, without line ends."""
        yield from self.begun()
        yield json.dumps(ending(self.state, self.early))

    def begun(self) -> Iterator[str]:
        """Yield the lines without the last: the opening, then one for each ply."""
        state = self.state.origin
        yield json.dumps({"record": FORMAT, "seed": self.seed, "position": state.to_position()})
        for ply, action in enumerate(self.state.history, 1):
            yield json.dumps({"ply": ply, "by": mover(state), "action": action.text})
            state.play(action)


def mover(state: State) -> str:
    """Return the name of the next to act, as in records."""
    return "nature" if state.turn == NATURE else state.game.seat_name(state.turn)


def movers(state: State, actions: Iterable[str]) -> list[str]:
    """Return who acts at each of some actions that are played from a position. Raises IllegalAction."""
    after, names = state.copy(), []
    for action in actions:
        names.append(mover(after))
        after.play(action)
    return names


def ending(state: State, early: EarlyEnd | None = None) -> dict[str, Any]:
    """Return the last line of a record that stops here."""
    returns, margins = (state.win_shares(), state.margins()) if state.over else (None, None)
    return {
        "end": True,
        "plies": state.plies,
        "returns": returns and list(returns),
        "margins": margins and list(margins),
        **({} if early is None else end_fields(early, state)),
    }


def end_fields(early: EarlyEnd, state: State) -> dict[str, Any]:
    """Return the fields of the last line for an early end."""
    if early.winner is None:
        return {"ended": ABANDONED, "winner": None}
    return {"ended": RESIGNED, "winner": state.game.seat_name(early.winner)}


def read_records(lines: Iterable[str], *, begun: bool = False) -> Iterator[Record]:
    """Yield each record of a file, replayed.

    Args:
        lines: lines of the file.
        begun: whether the last record may lack its last line or end in the middle of a line, because its writer was
            killed; lines must then include their line ends.

    Raises BadRecord at the first line that is not JSON, is out of place, or does not follow from the lines before it.
    """
    state, seed, number = None, None, 0
    for number, text in enumerate(whole_lines(lines) if begun else lines, 1):
        if state is not None and (action := written_action(text, state)):
            play(number, state, action)
            continue
        fields = read_line(number, text)
        if state is None:
            state, seed = opening(number, fields)
        elif "end" in fields:
            yield Record(state, seed, close(number, state, fields))
            state = None
        else:
            follow(number, state, fields)
    if state is not None and begun:
        yield Record(state, seed)
    elif state is not None:
        raise BadRecord(number + 1, "the record ends before its last line; `clerestory play` continues it")


def whole_lines(lines: Iterable[str]) -> list[str]:
    """Return lines that have their line ends, without an incomplete last one."""
    found = list(lines)
    if found and is_torn(found[-1]):
        found.pop()
    return found


def is_torn(line: str) -> bool:
    """Whether a line is incomplete because its writer was killed."""
    if line.endswith("\n"):
        return False
    try:
        json.loads(line)
    except RecursionError:
        return False  # no writer of records nests so deep
    except ValueError:
        return True
    return False


def read_line(number: int, text: str) -> dict[str, Any]:
    """Return the object on a line. Raises BadRecord."""
    try:
        fields = json.loads(text)
    except RecursionError:
        raise BadRecord(number, f"is nested too deep: {text.strip()[:60]!r}") from None
    except ValueError:
        raise BadRecord(number, f"is not JSON: {text.strip()[:60]!r}; a record has one JSON object a line") from None
    if not isinstance(fields, dict):
        raise BadRecord(number, "is not a JSON object")
    return fields


def opening(number: int, fields: dict[str, Any]) -> tuple[State, int | None]:
    """Return the opening position and its seed. Raises BadRecord."""
    if fields.get("record") != FORMAT or set(fields) != {"record", "seed", "position"}:
        raise BadRecord(number, f"a record begins with the fields record ({FORMAT}), seed and position")
    seed = fields["seed"]
    try:
        state = from_position(fields["position"])
        if seed is not None and state.game.new(state.seats, seed) != state:
            raise BadRecord(number, f"seed {seed!r} does not give this position")
    except BadRecord:
        raise
    except ValueError as error:
        raise BadRecord(number, str(error)) from None
    return state, seed


def written_action(text: str, state: State) -> str:
    """Return the action of a line that is exactly as `begun` writes the next ply; "" for any other line.

    Nearly all lines are, and need no JSON parser.
    """
    if state.over:
        return ""
    start = f'{{"ply": {state.plies + 1}, "by": "{mover(state)}", "action": "'
    if not text.startswith(start) or not text.endswith('"}\n'):
        return ""
    action = text[len(start) : -3]
    return action if action.isascii() and action.isprintable() and '"' not in action and "\\" not in action else ""


def follow(number: int, state: State, fields: dict[str, Any]) -> None:
    """Play a line, checking all of its fields. Raises BadRecord."""
    by = mover(state) if not state.over else "nobody: the game is over"
    for name, value in (("ply", state.plies + 1), ("by", by)):
        if fields.get(name) != value or type(fields[name]) is not type(value):
            raise BadRecord(number, f"{name} is {fields.get(name)!r}, not {value!r}")
    action = fields.get("action")
    if not isinstance(action, str) or set(fields) != {"ply", "by", "action"}:
        raise BadRecord(number, "a line of play has the fields ply, by and action")
    play(number, state, action)


def play(number: int, state: State, action: str) -> None:
    """Play the action of a line. Raises BadRecord."""
    try:
        state.play(action)
    except GameError as error:
        raise BadRecord(number, str(error)) from None


def close(number: int, state: State, fields: dict[str, Any]) -> EarlyEnd | None:
    """Compare the last line with the game played; return how its players ended it, None if they did not.

    Raises BadRecord.
    """
    for name, value in ending(state).items():
        if not same(fields.get(name), value):
            raise BadRecord(number, f"{name} is {fields.get(name)!r}, not {value!r}")
    return early_end(number, state, fields) if "ended" in fields else None


def early_end(number: int, state: State, fields: dict[str, Any]) -> EarlyEnd:
    """Return the early end described by a last line. Raises BadRecord."""
    ended, winner = fields["ended"], fields.get("winner")
    winners = [None, 0, 1] if state.seats == 2 else [None]
    for early in () if state.over else map(EarlyEnd, winners):
        if end_fields(early, state) == {"ended": ended, "winner": winner}:
            return early
    raise BadRecord(number, f"ended is {ended!r} and winner {winner!r}; this game cannot have ended so")


def same(given: object, value: object) -> bool:
    """Whether a value of a record is the expected one; margins may differ by rounding."""
    if isinstance(given, list) and isinstance(value, list) and all(type(one) in (int, float) for one in given):
        return len(given) == len(value) and all(
            b - ROUNDED < a < b + ROUNDED for a, b in zip(given, value, strict=True)
        )
    return given == value

"""Stateless operations on a caller's own position: set up, view, play and plan."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clerestory.engine.changes import Change, totals
from clerestory.engine.core import NATURE, Action, Game, State
from clerestory.engine.errors import BadPosition, BadText, Violation
from clerestory.engine.games import LIST
from clerestory.engine.plans import Plan
from clerestory.engine.rng import Rng
from clerestory.engine.scoring import changes_of
from clerestory.i18n.sentences import Text, text
from clerestory.server.analysis.question import MAX_ACTIONS
from clerestory.service_errors import Reason, ServiceError, no_seat, raise_error

MAX_SHOWN = 6  # legal actions quoted in an error


@dataclass(frozen=True, slots=True)
class GivenPosition:
    """A position given by a caller.

    Attributes:
        state: the position.
        referee: whether it is a referee's position, without unknowns; otherwise it is the view of a seat.
    """

    state: State
    referee: bool

    def seen(self) -> State:
        """Return the part that the caller may see: of a referee's position, the public one."""
        return self.state.observe(NATURE) if self.referee else self.state.copy()


@dataclass(frozen=True, slots=True)
class PlayedAction:
    """A played action.

    Attributes:
        turn: whose turn it was: a seat or NATURE.
        action: the action.
        drawn: whether it was drawn, not given.
        changes: its changes, as far as the caller may see them.
    """

    turn: int
    action: Action
    drawn: bool
    changes: Sequence[Change]


def set_up(game: Game, seats: int, seed: int) -> State:
    """Return the initial position of a game. Raises ServiceError, BAD_SEATS."""
    require_seats(game, seats)
    return game.new(seats, seed)


def require_seats(game: Game, seats: int) -> None:
    """Raise ServiceError, BAD_SEATS, for an unsupported number of players."""
    if seats not in game.seats:
        raise_error(
            Reason.BAD_SEATS, "seats", f"are {seats}; {game.name} is for {', '.join(map(str, game.seats))} players"
        )


def view_of(state: State, seat: int | None) -> State:
    """Return the view of a seat, None for an onlooker. Raises ServiceError, BAD_SEAT."""
    if seat is None:
        return state.observe(NATURE)
    if seat >= state.seats:
        raise_error(Reason.BAD_SEAT, "seat", no_seat(seat, state.seats))
    return state.observe(seat)


# -- validation ------------------------------------------------------------------------------------


def kind_fault(given: GivenPosition) -> Text | None:
    """Return why a position is not of its kind; None if it is."""
    state = given.state
    if given.referee:
        return None if state.determinize(0) == state else text("fault.hidden")
    if any(state.observe(seat) == state for seat in range(NATURE, state.seats)):
        return None
    return text("fault.tells")


def all_faults(game: Game, fields: Mapping[str, Any]) -> list[Violation]:
    """Return all faults of a position's fields; other rules or cards do not hide further faults."""
    faults = faults_of(game, fields)
    if faults:
        ours = {"rules_revision": game.rules_revision, "catalogue": game.catalogue}
        faults += faults_of(game, {**fields, **ours})
    return list(dict.fromkeys(faults))


def faults_of(game: Game, fields: Mapping[str, Any]) -> list[Violation]:
    """Return the faults that a game finds in the fields of a position."""
    try:
        game.from_position(fields)
    except BadPosition as error:
        return list(error.violations)
    return []


# -- actions ---------------------------------------------------------------------------------------


def actions_named(game: Game, texts: Sequence[str]) -> list[Action]:
    """Parse actions, legal or not. Raises ServiceError, which lists all invalid texts."""
    require_few("actions", len(texts))
    actions, faults = [], []
    for i, given in enumerate(texts):
        try:
            actions.append(game.parse_action(given))
        except BadText:
            faults.append((f"actions[{i}]", f"{given[:40]!r} is not an action of {game.name}"))
    if faults:
        raise ServiceError(Reason.BAD_ACTION, faults)
    return actions


def require_few(blamed: str, actions: int, most: int = MAX_ACTIONS) -> None:
    """Raise ServiceError, TOO_MANY_ACTIONS, for more actions than one request may have."""
    if actions > most:
        raise_error(Reason.TOO_MANY_ACTIONS, blamed, f"has {actions} actions; must have {most} at most")


def play_all(given: GivenPosition, actions: Sequence[Action], seed: int | None) -> Iterator[PlayedAction]:
    """Play actions, and the chance events before, between and after them; yield each after it is played.

    Args:
        given: the position, which is modified.
        actions: in order; at a chance event, an action that is one of its outcomes determines the event.
        seed: the seed of all other chance events; None if none may be drawn.

    Raises ServiceError at an action that is illegal in its position.
    """
    rng, state = None if seed is None else Rng(seed), given.state
    for i, action in enumerate(actions):
        while rng is not None and state.turn == NATURE and action.code not in state.legal_codes():
            yield play(given, state.draw(rng), drawn=True)
        require_legal(state, action, f"actions[{i}]")
        yield play(given, action, drawn=False)
    while rng is not None and state.turn == NATURE:
        yield play(given, state.draw(rng), drawn=True)


def play(given: GivenPosition, action: Action, *, drawn: bool) -> PlayedAction:
    """Play a legal action, and return it with its changes."""
    turn, before = given.state.turn, given.seen()
    given.state.play(action)
    return PlayedAction(turn, action, drawn, changes_of(before, action.text, given.seen()))


def require_legal(state: State, action: Action, blamed: str) -> None:
    """Raise ServiceError for an illegal action, naming some legal ones."""
    if state.over:
        raise_error(Reason.GAME_OVER, blamed, f"{action.text!r} comes after the end of the game")
    legal = state.legal_actions()
    if action in legal:
        return
    who = "a chance event is due" if state.turn == NATURE else f"{state.game.seat_name(state.turn)} is to decide"
    shown = some_of([other.text for other in legal])
    raise_error(Reason.ILLEGAL_ACTION, blamed, f"{action.text!r} is not legal; {who}: {shown}")


def some_of(legal: Sequence[str]) -> str:
    """Return the first few actions as a phrase, with the number of others."""
    more = f" and {len(legal) - MAX_SHOWN} more" if len(legal) > MAX_SHOWN else ""
    return ", ".join(legal[:MAX_SHOWN]) + more


# -- plans -----------------------------------------------------------------------------------------


def planned(state: State, times: Mapping[str, int], *, finish: bool) -> Plan | None:
    """Return the best order of a plan, given how often it uses each item; None if nothing can be planned."""
    planner = LIST[state.game.name].planner
    return planner.planned(state, times, finish=finish) if planner else None


def carry_out(given: GivenPosition, plan: Plan) -> list[Change]:
    """Play a plan; return its changes for the seat that plays it, including losses by limits."""
    changed, seat = [], given.state.turn
    for action in plan.actions:
        played = play(given, given.state.game.parse_action(action), drawn=False)
        changed += [change for change in played.changes if change.seat == seat]
    return totals(changed)


def held(game: Game, variation: Sequence[str]) -> Mapping[str, int]:
    """Return how often each item is used in the plan that begins a variation; {} if it begins with none."""
    planner = LIST[game.name].planner
    return planner.held(variation) if planner else {}

"""Translates between the messages of RulesService and the types of the engine."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from clerestory.advice.question import MAX_ACTIONS
from clerestory.engine.core import NATURE, OVER, Action, Game, State
from clerestory.engine.errors import BadPosition, BadText
from clerestory.engine.games import GAMES
from clerestory.engine.rng import Rng
from clerestory.engine.scoring import ScoreSource, by_position, tie_break
from clerestory.engine.value import value_in_use
from clerestory.refusals import Reason, Refusal, refuse
from clerestory.server.spoken import label_of
from clerestory.server.translate import position_fields, read_position, size_fault
from clerestory.server.translate_changes import write_changes
from clerestory.texts.cards import card_names
from clerestory.v1 import advisor_pb2 as advisor
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.position_pb2 import Position

MAX_SHOWN = 6  # legal actions named when another was refused

NO_KIND = "is empty; set position or referee"

FieldFaults = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class AnyState:
    """A position as a caller gave it.

    Attributes:
        state: the position.
        referee: it is a referee's position, with nothing unknown; else it is a view of one seat.
    """

    state: State
    referee: bool

    def seen(self) -> State:
        """Return what the caller may tell: of a referee's position what is public."""
        return self.state.observe(NATURE) if self.referee else self.state.copy()


# -- positions -------------------------------------------------------------------------------------


def read_any(message: rules.AnyPosition, path: str = "position") -> AnyState:
    """Return a position of either kind. Raises Refusal, which lists all that is wrong with it."""
    kind = message.WhichOneof("kind")
    if kind is None:
        refuse(Reason.BAD_POSITION, path, NO_KIND)
    if kind == "referee":
        return AnyState(read_referee(message.referee, f"{path}.referee"), True)
    return AnyState(read_kind(message.position, False, f"{path}.position"), False)


def read_referee(message: rules.RefereePosition, path: str = "referee") -> State:
    """Return a referee's position. Raises Refusal, which lists all that is wrong with it."""
    return read_kind(message.truth, True, f"{path}.truth")


def read_kind(message: Position, referee: bool, path: str) -> State:
    """Return a position of one kind. Raises Refusal, which lists all that is wrong with it."""
    state = read_position(message, path)
    if fault := kind_fault(state, referee):
        refuse(Reason.BAD_POSITION, path, fault)
    return state


def kind_fault(state: State, referee: bool) -> str:
    """Return why a position is not of a kind, "" if it is."""
    if referee:
        return "" if state.deal(0) == state else "has unknown cards; a referee's position has none"
    if any(state.observe(seat) == state for seat in range(NATURE, state.seats)):
        return ""
    return "tells more than any one seat can know; send it as referee, not as position"


def write_position(state: State) -> Position:
    """Return a position as a message."""
    return Position(**state.to_position())  # equal to json_format.ParseDict of it, in a hundredth of the time


def write_referee(state: State) -> rules.RefereePosition:
    """Return a whole position as a message."""
    return rules.RefereePosition(truth=write_position(state))


def write_any(given: AnyState) -> rules.AnyPosition:
    """Return a position as a message of its kind."""
    if given.referee:
        return rules.AnyPosition(referee=write_referee(given.state))
    return rules.AnyPosition(position=write_position(given.state))


def write_turn(state: State) -> rules.Turn:
    """Return who is to act as a message."""
    if state.turn == NATURE:
        return rules.Turn(kind=rules.TURN_KIND_NATURE)
    if state.turn == OVER:
        return rules.Turn(kind=rules.TURN_KIND_OVER)
    return rules.Turn(kind=rules.TURN_KIND_SEAT, seat=state.turn)


def write_outcome(state: State, parts: Sequence[Mapping[ScoreSource, float]] | None = None) -> rules.Outcome | None:
    """Return how the game ended as a message, None before its end.

    Args:
        state: the last position.
        parts: the sources of the points by seat; None: those that the position tells.
    """
    if not state.over:
        return None
    scores = write_scores(state, by_position(state) if parts is None else parts)
    return rules.Outcome(
        win_shares=state.returns(), margins=state.margins(), scores=scores, tie_break=write_tie_break(state)
    )


def write_scores(state: State, parts: Sequence[Mapping[ScoreSource, float]]) -> list[rules.SeatScore]:
    """Return the scores of a position as messages, with the sources of the points by seat."""
    scores = state.scores() if state.over else [sum(seat.values()) for seat in parts]
    return [
        rules.SeatScore(seat=seat, score=score, parts=[write_part(*part) for part in parts[seat].items() if part[1]])
        for seat, score in enumerate(scores)
    ]


def write_part(source: ScoreSource, points: float) -> rules.ScorePart:
    """Return one source of points as a message."""
    return rules.ScorePart(source=source[0], item=source[1], points=points)


def write_tie_break(state: State) -> rules.TieBreak | None:
    """Return what decided between equal scores, None if they were not equal."""
    decided = tie_break(state)
    return None if decided is None else rules.TieBreak(code=decided[0], values=decided[1])


# -- games and their cards -------------------------------------------------------------------------


def read_game(name: str, path: str = "game") -> Game:
    """Return the game with a name. Raises Refusal, which lists all names."""
    if name not in GAMES:
        refuse(Reason.BAD_GAME, path, f"{name[:40]!r} is not one of {', '.join(GAMES)}")
    return GAMES[name]


def write_games() -> rules.ListGamesResponse:
    """Return every game as a message."""
    return rules.ListGamesResponse(games=[write_game(GAMES[name]) for name in sorted(GAMES)])


def write_game(game: Game) -> rules.GameDescription:
    """Return one game as a message."""
    return rules.GameDescription(
        name=game.name,
        min_seats=game.seats[0],
        max_seats=game.seats[-1],
        rules_revision=game.rules_revision,
        catalogue=game.catalogue,
        features=game.new(game.seats[0], 0).features(0) if game.has_guide else (),
        value=value_in_use(game)[0],
    )


def start_position(request: rules.StartPositionRequest, seed: int) -> State:
    """Return a game at its beginning. Raises Refusal."""
    game = read_game(request.game)
    if request.seats not in game.seats:
        text = f"is {request.seats}; {game.name} has {game.seats[0]} to {game.seats[-1]} players"
        refuse(Reason.BAD_SEATS, "seats", text)
    return game.new(request.seats, seed)


@cache
def write_catalogue(game: Game) -> rules.DescribeCatalogueResponse:
    """Return the cards of a game as a message, which is made once."""
    return rules.DescribeCatalogueResponse(
        catalogue=game.catalogue,
        rules_revision=game.rules_revision,
        entries=[write_entry(game, section, row) for section, rows in game.cards().items() for row in rows],
    )


def write_entry(game: Game, section: str, row: dict[str, Any]) -> rules.CatalogueEntry:
    """Return a row of a catalogue as a message; its name is a value too if its source is known, as in each language."""
    sources = row["sources"]
    values = [
        write_value(name, value, sources.get(name, ""))
        for name, value in row.items()
        if name not in ("id", "names", "sources") and (name != "name" or name in sources)
    ]
    names = card_names(game.name, row)
    values += [write_value(f"name_{language}", *name) for language, name in sorted(names.items())]
    return rules.CatalogueEntry(section=section, id=row["id"], name=row["name"], values=values)


def write_value(name: str, value: Any, source: str) -> rules.CatalogueValue:
    """Return one value as a message; a source begins with its grade."""
    grade = source.partition(" ")[0].rstrip(",:")
    return rules.CatalogueValue(name=name, json=json.dumps(value), provenance=grade, source=source)


# -- views and actions -----------------------------------------------------------------------------


def observe_position(request: rules.ObservePositionRequest) -> State:
    """Return what a seat, or an onlooker, may know of a referee's position. Raises Refusal."""
    state = read_referee(request.referee)
    if not request.HasField("seat"):
        return state.observe(NATURE)
    if request.seat >= state.seats:
        refuse(Reason.BAD_SEAT, "seat", f"is {request.seat}; the seats are 0 to {state.seats - 1}")
    return state.observe(request.seat)


def write_actions(state: State) -> rules.ListActionsResponse:
    """Return the legal actions as a message."""
    legal = state.legal_actions()
    odds = state.odds() if state.turn == NATURE else [None] * len(legal)
    actions = [write_legal(state.game, action, chance) for action, chance in zip(legal, odds, strict=True)]
    return rules.ListActionsResponse(turn=write_turn(state), actions=actions)


def write_legal(game: Game, action: Action, chance: float | None) -> rules.LegalAction:
    """Return one legal action as a message."""
    kind, *arguments = action.text.split()
    return rules.LegalAction(action=write_action(game, action), kind=kind, arguments=arguments, probability=chance)


def write_action(game: Game, action: Action) -> advisor.Action:
    """Return an action as a message."""
    return advisor.Action(text=action.text, label=label_of(game, action.text, action.label))


def read_actions(game: Game, texts: Sequence[str]) -> list[Action]:
    """Return the actions named by texts, legal or not. Raises Refusal, which lists the texts that name none."""
    if len(texts) > MAX_ACTIONS:
        refuse(Reason.TOO_MANY_ACTIONS, "actions", f"has {len(texts)} actions; must have {MAX_ACTIONS} at most")
    actions, faults = [], []
    for i, text in enumerate(texts):
        try:
            actions.append(game.parse_action(text))
        except BadText:
            faults.append((f"actions[{i}]", f"{text[:40]!r} is not an action of {game.name}"))
    if faults:
        raise Refusal(Reason.BAD_ACTION, faults)
    return actions


def apply(given: AnyState, actions: Sequence[Action], seed: int | None) -> Iterator[rules.AppliedAction]:
    """Play actions and the chance events before, between and after them; yield each once it is played.

    Args:
        given: its state is changed.
        actions: in order; at a chance event, an action that is one of its outcomes determines the event.
        seed: of all other chance events; None if none may be drawn.

    Raises Refusal at an action that is not legal in its place.
    """
    rng, state = None if seed is None else Rng(seed), given.state
    for i, action in enumerate(actions):
        while rng is not None and state.turn == NATURE and action.code not in state.legal_codes():
            yield play(given, state.draw(rng), drawn=True)
        require_legal(state, action, f"actions[{i}]")
        yield play(given, action, drawn=False)
    while rng is not None and state.turn == NATURE:
        yield play(given, state.draw(rng), drawn=True)


def play(given: AnyState, action: Action, *, drawn: bool) -> rules.AppliedAction:
    """Play a legal action, and return it as a message."""
    turn, before = write_turn(given.state), given.seen()
    given.state.play(action)
    changes = write_changes(before, action.text, given.seen())
    return rules.AppliedAction(action=write_action(before.game, action), turn=turn, drawn=drawn, changes=changes)


def require_legal(state: State, action: Action, path: str) -> None:
    """Raise Refusal for an action that is not legal, naming some that are."""
    if state.over:
        refuse(Reason.GAME_OVER, path, f"{action.text!r} comes after the end of the game")
    legal = state.legal_actions()
    if action in legal:
        return
    who = "a chance event is due" if state.turn == NATURE else f"{state.game.seat_name(state.turn)} is to decide"
    shown = ", ".join(other.text for other in legal[:MAX_SHOWN])
    more = f" and {len(legal) - MAX_SHOWN} more" if len(legal) > MAX_SHOWN else ""
    refuse(Reason.ILLEGAL_ACTION, path, f"{action.text!r} is not legal; {who}: {shown}{more}")


# -- validation ------------------------------------------------------------------------------------


def validate(message: rules.AnyPosition, path: str = "position") -> rules.ValidatePositionResponse:
    """Return everything that is wrong with a position; for a valid one, who is to act, or how the game ended."""
    kind = message.WhichOneof("kind")
    if kind is None:
        return write_faults([(path, NO_KIND)])
    referee = kind == "referee"
    position = message.referee.truth if referee else message.position
    path = f"{path}.referee.truth" if referee else f"{path}.position"
    faults = position_faults(position, path)
    if faults:
        return write_faults(faults)
    state = read_position(position, path)
    fault = kind_fault(state, referee)
    if fault:
        return write_faults([(path, fault)])
    return rules.ValidatePositionResponse(turn=write_turn(state), outcome=write_outcome(state))


def position_faults(message: Position, path: str) -> FieldFaults:
    """Return what is wrong with a position; other rules or cards than ours do not hide the rest."""
    name, fault = message.WhichOneof("game"), size_fault(message)
    if fault:
        return [(path, fault)]
    if name is None:
        return [(path, f"has no game; set one of {', '.join(GAMES)}")]
    game, fields = GAMES[name], position_fields(message)
    faults = violations(game, fields)
    if faults:
        ours = {"rules_revision": game.rules_revision, "catalogue": game.catalogue}
        faults += violations(game, fields | ours)
    return [(f"{path}.{field}", description) for field, description in dict.fromkeys(faults)]


def violations(game: Game, fields: dict[str, Any]) -> FieldFaults:
    """Return the faults that a game finds in the fields of a position."""
    try:
        game.from_position(fields)
    except BadPosition as error:
        return [(field, description) for field, description in error.violations]
    return []


def write_faults(faults: FieldFaults) -> rules.ValidatePositionResponse:
    """Return faults as a message."""
    named = [rules.PositionFault(field=field, description=description) for field, description in faults]
    return rules.ValidatePositionResponse(faults=named)

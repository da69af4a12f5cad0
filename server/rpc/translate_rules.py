"""Translates between messages of RulesService and types of the engine."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from clerestory.engine.core import NATURE, OVER, Action, Game, State
from clerestory.engine.errors import fault_of
from clerestory.engine.games import GAMES
from clerestory.engine.scoring import ScoreSource, by_position, tie_break
from clerestory.engine.tuning import CHARACTERS
from clerestory.engine.value import FARTHEST, LEARNED, distance_of, is_shipped, value_in_use, value_of
from clerestory.i18n.cards import card_names
from clerestory.i18n.characters import manner_in_words, name_of_character
from clerestory.i18n.sentences import text
from clerestory.server.games.rulebook import GivenPosition, PlayedAction, kind_fault
from clerestory.server.rpc.locale import LOCALE, label_of
from clerestory.server.rpc.translate import read_position
from clerestory.server.rpc.translate_changes import write_changes
from clerestory.service_errors import Reason, raise_error
from clerestory.v1 import advisor_pb2 as advisor
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.position_pb2 import Position

NO_KIND = text("fault.kind")


# -- positions -------------------------------------------------------------------------------------


def read_any(message: rules.AnyPosition, path: str = "position") -> GivenPosition:
    """Return a position of either kind. Raises ServiceError, which lists all faults."""
    kind = message.WhichOneof("kind")
    if kind is None:
        raise_error(Reason.BAD_POSITION, path, fault_of(NO_KIND))
    if kind == "referee":
        return read_kind(message.referee.truth, True, f"{path}.referee.truth")
    return read_kind(message.position, False, f"{path}.position")


def read_referee(message: rules.RefereePosition) -> State:
    """Return a referee's position. Raises ServiceError, which lists all faults."""
    return read_kind(message.truth, True, "referee.truth").state


def read_kind(message: Position, referee: bool, path: str) -> GivenPosition:
    """Return a position of one kind. Raises ServiceError, which lists all faults."""
    given = GivenPosition(read_position(message, path), referee)
    if fault := kind_fault(given):
        raise_error(Reason.BAD_POSITION, path, fault_of(fault))
    return given


def write_position(state: State) -> Position:
    """Return a position as a message."""
    return Position(**state.to_position())  # equals json_format.ParseDict, in a hundredth of the time


def write_referee(state: State) -> rules.RefereePosition:
    """Return a complete position as a message."""
    return rules.RefereePosition(truth=write_position(state))


def write_any(given: GivenPosition) -> rules.AnyPosition:
    """Return a position as a message of its kind."""
    if given.referee:
        return rules.AnyPosition(referee=write_referee(given.state))
    return rules.AnyPosition(position=write_position(given.state))


def write_turn(turn: int) -> rules.Turn:
    """Return whose turn it is (a seat, NATURE or OVER) as a message."""
    if turn == NATURE:
        return rules.Turn(kind=rules.TURN_KIND_NATURE)
    if turn == OVER:
        return rules.Turn(kind=rules.TURN_KIND_OVER)
    return rules.Turn(kind=rules.TURN_KIND_SEAT, seat=turn)


def write_outcome(state: State, parts: Sequence[Mapping[ScoreSource, float]] | None = None) -> rules.Outcome | None:
    """Return the outcome of a game as a message; None before its end.

    Args:
        state: the last position.
        parts: the sources of points by seat; None for those that the position shows.
    """
    if not state.over:
        return None
    scores = write_scores(state, by_position(state) if parts is None else parts)
    return rules.Outcome(
        win_shares=state.win_shares(), margins=state.margins(), scores=scores, tie_break=write_tie_break(state)
    )


def write_scores(state: State, parts: Sequence[Mapping[ScoreSource, float]]) -> list[rules.SeatScore]:
    """Return the scores of a position as messages, with their sources."""
    scores = state.final_scores() if state.over else [sum(seat.values()) for seat in parts]
    return [
        rules.SeatScore(seat=seat, score=score, parts=[write_part(*part) for part in parts[seat].items() if part[1]])
        for seat, score in enumerate(scores)
    ]


def write_part(source: ScoreSource, points: float) -> rules.ScorePart:
    """Return one source of points as a message."""
    return rules.ScorePart(source=source[0], item=source[1], points=points)


def write_tie_break(state: State) -> rules.TieBreak | None:
    """Return the tie-break as a message; None if scores were not equal."""
    decided = tie_break(state)
    return None if decided is None else rules.TieBreak(code=decided[0], values=decided[1])


# -- games and their cards -------------------------------------------------------------------------


def read_game(name: str, path: str = "game") -> Game:
    """Return the game with a name. Raises ServiceError, which lists all names."""
    if name not in GAMES:
        raise_error(Reason.BAD_GAME, path, f"{name[:40]!r} is not one of {', '.join(GAMES)}")
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
        **distances(game),
    )


def distances(game: Game) -> dict[str, float]:
    """Return the distance between the cards in use and those of the learned value, and its limit; {} without one."""
    weights = value_of(game, LEARNED).weights if is_shipped(game.name) else None
    return {} if weights is None else {"value_distance": distance_of(game, weights), "farthest_distance": FARTHEST}


def write_characters() -> rules.ListCharactersResponse:
    """Return every character as a message, in the locale of the call."""
    return rules.ListCharactersResponse(characters=[write_character(*pair) for pair in CHARACTERS.items()])


def write_character(character: str, level: int) -> rules.Character:
    """Return a character as a message, in the locale of the call."""
    language = LOCALE.get()
    return rules.Character(
        character=character,
        level=level,
        name=name_of_character(character, language),
        about=manner_in_words(character, language),
    )


@cache
def write_catalogue(game: Game) -> rules.DescribeCatalogueResponse:
    """Return the cards of a game as a message, cached."""
    return rules.DescribeCatalogueResponse(
        catalogue=game.catalogue,
        rules_revision=game.rules_revision,
        entries=[write_entry(game, section, row) for section, rows in game.cards().items() for row in rows],
    )


def write_entry(game: Game, section: str, row: dict[str, Any]) -> rules.CatalogueEntry:
    """Return a row of a catalogue as a message. Names with a known source are also values, in each language."""
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
    """Return a value as a message; a source begins with its grade."""
    grade = source.partition(" ")[0].rstrip(",:")
    return rules.CatalogueValue(name=name, json=json.dumps(value), provenance=grade, source=source)


# -- views and actions -----------------------------------------------------------------------------


def write_actions(state: State) -> rules.ListActionsResponse:
    """Return the legal actions as a message."""
    legal = state.legal_actions()
    odds = state.odds() if state.turn == NATURE else [None] * len(legal)
    actions = [write_legal(state.game, action, chance) for action, chance in zip(legal, odds, strict=True)]
    return rules.ListActionsResponse(turn=write_turn(state.turn), actions=actions, points=state.current_scores())


def write_legal(game: Game, action: Action, chance: float | None) -> rules.LegalAction:
    """Return one legal action as a message."""
    kind, *arguments = action.text.split()
    return rules.LegalAction(action=write_action(game, action), kind=kind, arguments=arguments, probability=chance)


def write_action(game: Game, action: Action) -> advisor.Action:
    """Return an action as a message."""
    return advisor.Action(text=action.text, label=label_of(game, action.text, action.label))


def write_played(game: Game, played: PlayedAction) -> rules.AppliedAction:
    """Return an action that was played as a message."""
    return rules.AppliedAction(
        action=write_action(game, played.action),
        turn=write_turn(played.turn),
        drawn=played.drawn,
        changes=write_changes(game, played.changes),
    )

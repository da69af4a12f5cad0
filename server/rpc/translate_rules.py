"""Translates between messages of RulesService and types of the engine."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from clerestory.engine.changes import Change
from clerestory.engine.core import NATURE, Action, Game, State
from clerestory.engine.games import GAMES
from clerestory.engine.plans import Fault, Plan, Possible
from clerestory.engine.tuning import CHARACTERS
from clerestory.engine.values.value import FARTHEST, LEARNED, distance_of, shipped_values, value_in_use, value_of
from clerestory.i18n import say
from clerestory.i18n.cards import card_names
from clerestory.i18n.characters import manner_in_words, name_of_character
from clerestory.i18n.sentences import Text, format_text
from clerestory.server.games.rulebook import GivenPosition, PlayedAction, all_faults, kind_fault
from clerestory.server.rpc.locale import LOCALE, name_of
from clerestory.server.rpc.translate import (
    NO_KIND,
    no_game,
    position_fields,
    read_position,
    size_fault,
    write_action,
    write_any,
    write_changes,
    write_outcome,
    write_text,
    write_turn,
)
from clerestory.service_errors import Reason, ServiceError, raise_error
from clerestory.v1 import advisor_pb2 as advisor
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.position_pb2 import Position

MOST_TIMES = 60  # uses of an item in a plan: more cubes than a player can have
MOST_USES = 64  # items in a plan: more craftsmen than a player can hold


# -- games and their cards -------------------------------------------------------------------------


def read_game(name: str, path: str = "game") -> Game:
    """Return the game with a name. Raises ServiceError, which lists all names."""
    if name not in GAMES:
        raise_error(Reason.BAD_GAME, path, f"{name[:40]!r} is not one of {', '.join(GAMES)}")
    return GAMES[name]


def write_games() -> rules.ListGamesResponse:
    """Return every game as a message."""
    return rules.ListGamesResponse(games=[write_game(GAMES[name]) for name in sorted(GAMES)])


@cache
def write_game(game: Game) -> rules.GameDescription:
    """Return one game as a message, cached: its cards and its value are those of the process."""
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
    weights = value_of(game, LEARNED).weights if shipped_values(game.name) else None
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


# -- actions ---------------------------------------------------------------------------------------


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


def write_played(game: Game, played: PlayedAction) -> rules.AppliedAction:
    """Return an action that was played as a message."""
    return rules.AppliedAction(
        action=write_action(game, played.action),
        turn=write_turn(played.turn),
        drawn=played.drawn,
        changes=write_changes(game, played.changes),
    )


# -- faults of positions ---------------------------------------------------------------------------


def validate(message: rules.AnyPosition, path: str = "position") -> rules.ValidatePositionResponse:
    """Return all faults of a position; for a valid one, the seat to move or the outcome of the game."""
    kind = message.WhichOneof("kind")
    if kind is None:
        return write_faults([(path, NO_KIND)], "")
    referee = kind == "referee"
    position = message.referee.truth if referee else message.position
    path, game = f"{path}.referee.truth" if referee else f"{path}.position", position.WhichOneof("game") or ""
    if faults := position_faults(position, path):
        return write_faults(faults, game)
    given = GivenPosition(read_position(position, path), referee)
    if fault := kind_fault(given):
        return write_faults([(path, fault)], game)
    return rules.ValidatePositionResponse(turn=write_turn(given.state.turn), outcome=write_outcome(given.state))


def position_faults(message: Position, path: str) -> list[tuple[str, Text]]:
    """Return the faults of a position."""
    name, fault = message.WhichOneof("game"), size_fault(message)
    if fault:
        return [(path, fault)]
    if name is None:
        return [(path, no_game())]
    faults = all_faults(GAMES[name], position_fields(message))
    return [(f"{path}.{field}", fault.text) for field, fault in faults]


def write_faults(faults: Sequence[tuple[str, Text]], game: str) -> rules.ValidatePositionResponse:
    """Return faults as a message; `game` is the name of the game, "" if there is none."""
    about = GAMES[game] if game else next(iter(GAMES.values()))  # any game: its texts are not needed
    return rules.ValidatePositionResponse(
        faults=[
            rules.PositionFault(field=field, description=format_text(fault, game), text=write_text(fault, about))
            for field, fault in faults
        ]
    )


# -- plans of conversions and discards -------------------------------------------------------------


def write_plan(game: Game, plan: Plan, times: Mapping[str, int]) -> rules.PlanConversionsResponse:
    """Return the best order of a plan as a message, or why there is none."""
    return rules.PlanConversionsResponse(
        actions=[write_action(game, game.parse_action(text)) for text in plan.actions],
        possible=[write_possible(game, one, times) for one in plan.possible],
        faults=[write_fault(game, fault) for fault in plan.faults],
        required=plan.required,
    )


def write_carried_out(given: GivenPosition, changes: Sequence[Change]) -> rules.PlanConversionsResponse:
    """Return the effects of a plan as a message; the given position is the one after it."""
    return rules.PlanConversionsResponse(
        changes=write_changes(given.state.game, changes),
        gold_lost=sum(change.lost for change in changes),
        position=write_any(given),
    )


def read_uses(uses: Sequence[advisor.PlannedUse]) -> dict[str, int]:
    """Return how often each item of a plan is used. Raises ServiceError for repeated items or too large numbers."""
    if len(uses) > MOST_USES:
        raise_error(Reason.TOO_MANY_ACTIONS, "uses", f"has {len(uses)} items; must have {MOST_USES} at most")
    times: dict[str, int] = {}
    faults = []
    for place, use in enumerate(uses):
        if use.item in times:
            faults.append((f"uses[{place}].item", f"{use.item[:40]!r} is named twice"))
        if use.times > MOST_TIMES:
            faults.append((f"uses[{place}].times", f"is {use.times}; must be {MOST_TIMES} at most"))
        times[use.item] = use.times
    if faults:
        raise ServiceError(Reason.BAD_ACTION, faults)
    return times


def write_possible(game: Game, one: Possible, times: Mapping[str, int]) -> rules.PossibleUse:
    """Return a possible use as a message."""
    return rules.PossibleUse(
        item=one.item, label=name_of(game, one.item), planned=times.get(one.item, 0), most=one.most, kind=one.kind
    )


def write_fault(game: Game, fault: Fault) -> rules.PlanFault:
    """Return why a plan has no valid order as a message."""
    words = {"name": name_of(game, fault.item[:40]), "thing": name_of(game, fault.thing)}
    numbers = {"count": fault.most, "times": fault.times}
    return rules.PlanFault(
        item=fault.item[:40],
        code=fault.code,
        text=say("service", f"plan.{fault.code}", language=LOCALE.get(), **words, **numbers),
        arguments=[
            *(advisor.TextArgument(name=name, word=word) for name, word in words.items()),
            *(advisor.TextArgument(name=name, number=number) for name, number in numbers.items()),
        ],
    )

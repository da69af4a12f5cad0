"""Translates positions to validate and their faults, in the locale of the call."""

from collections.abc import Sequence

from clerestory.engine.games import GAMES
from clerestory.i18n.sentences import Text, said
from clerestory.server.games.rulebook import GivenPosition, all_faults, kind_fault
from clerestory.server.rpc.translate import no_game, position_fields, read_position, size_fault
from clerestory.server.rpc.translate_answers import write_text
from clerestory.server.rpc.translate_rules import NO_KIND, write_outcome, write_turn
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.position_pb2 import Position


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
            rules.PositionFault(field=field, description=said(fault, game), text=write_text(fault, about))
            for field, fault in faults
        ]
    )

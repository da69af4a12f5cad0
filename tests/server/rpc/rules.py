"""Calls of RulesService, for tests: positions of both kinds, and whole games."""

from clerestory.clients.wire import position_message
from clerestory.engine import GAMES, State
from clerestory.v1 import rules_pb2 as api

CASES = [(name, seats) for name, game in GAMES.items() for seats in game.seats]


def referee(state: State) -> api.RefereePosition:
    return api.RefereePosition(truth=position_message(state))


def whole(state: State) -> api.AnyPosition:
    return api.AnyPosition(referee=referee(state))


def view(state: State) -> api.AnyPosition:
    return api.AnyPosition(position=position_message(state))


def turn_of(state: State) -> api.Turn:
    if state.turn >= 0:
        return api.Turn(kind=api.TURN_KIND_SEAT, seat=state.turn)
    return api.Turn(kind=api.TURN_KIND_OVER if state.over else api.TURN_KIND_NATURE)

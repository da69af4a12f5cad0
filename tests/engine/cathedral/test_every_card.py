"""The power of the comparison of the two models: if a card lost its effect, some game would show it.

Each card in turn is made one that does nothing, in the plain model alone; some game that both models have played alike
must then go another way. Builders Duel has the like in its `test_against_oracle.py`: there a card can only be used
where that changes something.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from clerestory.engine import Rng
from tests.engine.cathedral import oracle, oracle_board, oracle_legal, oracle_play, oracle_state
from tests.engine.cathedral.oracle_cards import ADVANTAGES, CRAFTSMEN, EVENTS, RESOURCE_CARDS
from tests.engine.cathedral.test_against_oracle import CATHEDRAL, GAMES_OF_A_COUNT, fields, random_action

MODULES = (oracle, oracle_board, oracle_legal, oracle_play, oracle_state)
CASES = [(seats, seed) for seed in range(GAMES_OF_A_COUNT) for seats in CATHEDRAL.seats]


@cache
def course(seats: int, seed: int) -> tuple[dict[str, Any], list[str]]:
    """A game of `test_random_games`: the opening, and what is played."""
    rng, state = Rng(seed), CATHEDRAL.new(seats, seed)
    opening, texts = fields(state), []
    while not state.over:
        texts.append(random_action(state, rng).text)
        state.play(texts[-1])
    return opening, texts


@cache
def tables(seats: int, seed: int) -> list[str]:
    """The tables of that game, as the plain model tells them."""
    opening, texts = course(seats, seed)
    return list(told(opening, texts, 0))


def told(opening: dict[str, Any], texts: list[str], first: int) -> Iterator[str]:
    """Yield the table after each action from a ply on, as the plain model has it; and what each seat sees to come."""
    model = oracle.Oracle.from_position(opening)
    for ply, text in enumerate(texts):
        model.play(text)
        if ply >= first:
            foreseen = [model.seen_by(seat)["event_deck"] for seat in range(len(opening["players"]))]
            yield json.dumps([model.position(), foreseen])


def blank(card: str) -> str:
    """Another name for a card, by which no rule knows it."""
    return f"{card}-blank"


def without_effect(card: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Take a card's effect from the plain model; return what it is called there instead, if that is how."""
    if card in CRAFTSMEN or card in RESOURCE_CARDS:
        for module in MODULES:
            for name, idle in (("CRAFTSMEN", {"vp": 0, "gold": 0}), ("RESOURCE_CARDS", {"cubes": 0})):
                cards = getattr(module, name, {})
                if card in cards:
                    monkeypatch.setattr(module, name, {**cards, card: replace(cards[card], **idle)})
        return {}
    for module in MODULES:
        for name, cards in list(vars(module).items()):
            if isinstance(cards, (tuple, list)) and card in cards:
                monkeypatch.setattr(module, name, type(cards)(blank(one) if one == card else one for one in cards))
    return {card: blank(card)}


def noticed(case: tuple[int, int], first: int, names: dict[str, str]) -> bool:
    """Whether a game goes another way from a ply on, with a model whose cards are called otherwise."""

    def renamed(text: str) -> str:
        for card, name in names.items():
            text = text.replace(card, name)
        return text

    opening, texts = course(*case)
    there = told(json.loads(renamed(json.dumps(opening))), [renamed(text) for text in texts], first)
    for ply, table in enumerate(tables(*case)[first:]):
        try:
            if next(there) != renamed(table):
                return True
        except Exception:
            if ply == 0:
                raise
            return True  # what was played is not legal there, in whatever way the model finds out
    return False


@pytest.mark.parametrize("card", [*CRAFTSMEN, *RESOURCE_CARDS, *ADVANTAGES, *EVENTS])
def test_a_card_without_its_effect_would_be_noticed(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    named = ["convert", card] if card in CRAFTSMEN else [card]  # before that, none of its values has mattered
    for case in CASES:
        came = (ply for ply, text in enumerate(course(*case)[1]) if {*named} <= {*text.split()})
        first = next(came, None)
        if first is None:
            continue
        tables(*case)
        with monkeypatch.context() as patched:
            if noticed(case, first, without_effect(card, patched)):
                return
    pytest.fail(f"no game misses {card}")


def test_the_comparison_sees_no_difference_where_there_is_none() -> None:
    assert not any(noticed(case, 0, {}) for case in CASES[:3])

"""What the comparison of the two models is worth: no card could lose its effect without some game of it noticing.

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
Course = list[tuple[str, str]]  # what is played, and the table after it


@cache
def courses() -> list[tuple[dict[str, Any], Course]]:
    """The games of `test_random_games`: the opening, and the course as the plain model tells it."""
    return [course(seats, seed) for seats in CATHEDRAL.seats for seed in range(GAMES_OF_A_COUNT)]


def course(seats: int, seed: int) -> tuple[dict[str, Any], Course]:
    rng, state = Rng(seed), CATHEDRAL.new(seats, seed)
    opening = fields(state)
    texts = []
    while not state.over:
        texts.append(random_action(state, rng).text)
        state.play(texts[-1])
    return opening, list(zip(texts, told(opening, texts), strict=True))


def told(opening: dict[str, Any], texts: list[str]) -> Iterator[str]:
    """Yield the table after each action as the plain model has it, and what each seat sees of the coming event."""
    model = oracle.Oracle.from_position(opening)
    for text in texts:
        model.play(text)
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


def noticed(opening: dict[str, Any], played: Course, names: dict[str, str]) -> bool:
    """Whether a game goes another way with a model whose cards are called otherwise."""

    def renamed(text: str) -> str:
        for card, name in names.items():
            text = text.replace(card, name)
        return text

    there = told(json.loads(renamed(json.dumps(opening))), [renamed(text) for text, _ in played])
    has_come = False
    for text, table in played:
        try:
            if next(there) != renamed(table):
                return True
        except Exception:
            if not has_come:
                raise
            return True  # what was played is not legal there, in whatever way the model finds out
        has_come = has_come or any(card in text.split() for card in names)
    return False


@pytest.mark.parametrize("card", [*CRAFTSMEN, *RESOURCE_CARDS, *ADVANTAGES, *EVENTS])
def test_a_card_without_its_effect_would_be_noticed(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = without_effect(card, monkeypatch)
    assert any(noticed(opening, played, names) for opening, played in courses())


def test_a_card_that_is_only_called_otherwise_is_not_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself sees no difference where there is none."""
    assert not any(noticed(opening, played, {}) for opening, played in courses())

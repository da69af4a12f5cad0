"""How much the hidden cards of card games reveal about the luck of the same games."""

from collections import Counter
from collections.abc import Iterable
from math import log

from clerestory.engine import NATURE, State

ALL = log(2)  # nats: the deck decides the flip


def foretold(games: Iterable[State]) -> float:
    """Return the greatest mutual information, in nats, of the first flip of a seal and the kind of a card.

    It is about 0 if cards and luck are independent (apart from the bias of a small sample: Miller 1955).
    """
    decks, flips = zip(*(deck_and_flip(game) for game in games), strict=True)
    return max(information(cards, flips) for cards in zip(*decks, strict=True))


def deck_and_flip(game: State) -> tuple[list[str], str]:
    """Return the deck of a game before it began, and the first flip of a seal in it."""
    state = game.origin
    deck: list[str] = state.to_position()["duel"]["deck"]
    for action in game.history:
        if state.turn == NATURE and action.text.startswith("face"):
            return deck, action.text
        state.play(action)
    raise AssertionError("no seal was flipped")


def information(some: tuple[str, ...], others: tuple[str, ...]) -> float:
    """Return the mutual information of two columns, in nats."""
    number, one, other, both = len(some), Counter(some), Counter(others), Counter(zip(some, others, strict=True))
    plain = sum(n / number * log(n * number / (one[a] * other[b])) for (a, b), n in both.items())
    return plain - (len(one) - 1) * (len(other) - 1) / (2 * number)

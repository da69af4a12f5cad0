"""Kinds of values specific to positions of `toy`, and checks across its fields. rules.pyx has the fields."""

from collections.abc import Iterator, Sequence
from typing import Any

from clerestory.engine.positions.kinds import FieldContext, Kind, Set, listed, whole
from clerestory.engine.positions.layout import FieldFault
from clerestory.i18n.sentences import Text, text

STEPS = ("turn-up", "weather", "play", "over")
CARDS = range(1, 11)


class PublicCards(Set):
    """Cards by number, ascending; `card_faults` checks them."""

    def __init__(self) -> None:
        super().__init__(CARDS, listed(whole(0, 10), 0, 10))

    def faults(self, value: Any, around: FieldContext) -> Iterator[Text]:
        return iter(())


class ToCome(Kind):
    """The cards not turned up, 0 for each unknown one; in the struct the last places of the deck."""

    annotation = listed(whole(0, 10), 0, 2)
    high = 10

    def read(self, raw: Sequence[int], around: FieldContext) -> list[int]:
        return list(raw[len(raw) - max(cards_to_come(around.fields), 0) :])

    def write(self, value: list[int], around: FieldContext) -> Sequence[int]:
        return [0] * (2 - len(value)) + value


class Hand(Kind):
    """A hand, with 0 for each unknown card first; in the struct the number of cards, and the set of the known ones."""

    annotation = listed(whole(0, 10), 0, 2)

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        return raw[0] <= 2 and raw[1] < 1 << len(CARDS) and raw[1].bit_count() <= raw[0]

    def read(self, raw: Sequence[int], around: FieldContext) -> list[int]:
        known = [card for card in CARDS if raw[1] >> card - 1 & 1]
        return [0] * (raw[0] - len(known)) + known

    def write(self, value: list[int], around: FieldContext) -> Sequence[int]:
        return len(value), sum({1 << card - 1 for card in value if card})


def other(what: str) -> Text:
    """Return an error text that exists only in English."""
    return text("fault.other", what=what)


def under_way(fields: dict[str, Any]) -> bool:
    """Whether a prize is on the table."""
    return fields["step"] in ("weather", "play")


def cards_to_come(fields: dict[str, Any]) -> int:
    """Return the number of cards not turned up yet."""
    return 3 - int(fields["round"]) - under_way(fields)


def card_faults(fields: dict[str, Any]) -> Iterator[FieldFault]:
    """Each card is in one place: seen, in one hand, or in the deck; and each place holds what it should."""
    seats = len(fields["players"])
    places = {"seen": fields["seen"], "deck": fields["deck"]}
    places |= {f"players[{seat}].hand": player["hand"] for seat, player in enumerate(fields["players"])}
    home: dict[int, str] = {}
    for path, cards in places.items():
        for card in filter(None, cards):
            if card in home:
                yield path, other(f"card {card} is also in toy.{home[card]}")
            if card > 2 * seats + 2:
                yield path, other(f"card {card} is not in the game with {seats} seats")
            home[card] = path
    if 0 in fields["seen"]:
        yield "seen", other("0 is not a card")
    count = sum(len(cards) for cards in places.values())
    if count != 2 * seats + 2:
        yield "", other(f"{count} cards seen, held and to come; with {seats} seats there are {2 * seats + 2}")


def course_faults(fields: dict[str, Any]) -> Iterator[FieldFault]:
    """The round, the step, the prize and the actions of the seats agree with each other."""
    step, prize, moved = fields["step"], fields["prize"], fields["moved"]
    if (step == "over") != (fields["round"] == 3):
        yield "step", other(f"{step!r} does not go with round {fields['round']}")
    elif len(fields["deck"]) != cards_to_come(fields):
        yield "deck", other(f"holds {len(fields['deck'])} cards, not {cards_to_come(fields)}")
    if bool(prize) != under_way(fields) or (prize and prize not in fields["seen"]):
        yield "prize", other(f"{prize} is not the card turned up")
    if fields["feast"] and step != "play":
        yield "feast", other("is known only at step 'play'")
    if moved and (step != "play" or moved >= len(fields["players"])):
        yield "moved", other(f"{moved} seats cannot have acted")


def played_faults(fields: dict[str, Any]) -> Iterator[FieldFault]:
    """A card has been played by a seat that has acted, for everyone to see."""
    for seat, player in enumerate(fields["players"]):
        played = player["played"]
        acted = (seat - fields["round"] + 1) % len(fields["players"]) < fields["moved"]
        if played and not (fields["step"] == "play" and acted and played in fields["seen"]):
            yield f"players[{seat}].played", other(f"{played} cannot have been played in this round")

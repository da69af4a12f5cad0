"""Kinds of values specific to positions of `duel`, and checks across its fields."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from clerestory.engine.duel.data.catalogue import CHIPS_OF_KIND
from clerestory.engine.duel.data.constants import ALL_SEALS, DECK, GOLD, START_UNSEEN, counts_in
from clerestory.engine.duel.data.names import CHIPS, COLOURS, MATERIALS, SEALS, NamedCard
from clerestory.engine.positions.kinds import FieldContext, Kind, listed, model, unknown, whole
from clerestory.engine.positions.layout import FieldFault
from clerestory.i18n.sentences import Text, text

SEALS_OF_KIND = counts_in(ALL_SEALS, len(SEALS))
UNSEEN = Counter(dict(zip(SEALS, counts_in(START_UNSEEN, len(SEALS)), strict=True)))  # in the stack at the start


class Section(Kind):
    """Materials placed in a section; in the struct 3 bits for the needs that are met, the first of equal ones."""

    annotation = listed(Literal[MATERIALS], 0, 3)
    high = (1 << 9) - 1
    empty_is_zero = True

    def __init__(self, needs: Sequence[Sequence[list[str]]], number: int) -> None:
        self.needs = [sections[number] for sections in needs]  # by seat
        self.sorted = [sorted(needs, key=MATERIALS.index) for needs in self.needs]
        self.shift = 3 * number

    def read(self, raw: Sequence[int], around: FieldContext) -> list[str]:
        return [need for i, need in enumerate(self.sorted[around.seat]) if raw[0] >> self.shift + i & 1]

    def write(self, value: list[str], around: FieldContext) -> Sequence[int]:
        left, placed = list(value), 0
        for i, need in enumerate(self.sorted[around.seat]):
            if need in left:
                left.remove(need)
                placed |= 1 << self.shift + i
        return (placed,)

    def faults(self, value: list[str], around: FieldContext) -> Iterator[Text]:
        needs = self.needs[around.seat]
        if not value:
            return
        for material in Counter[str](value) - Counter(needs):
            yield text("fault.section", value=repr(material), needs=", ".join(needs))


class OpenUses(Kind):
    """Uses that can be continued, innermost first; in the struct two words, 8 bits for a card and its rest."""

    empty_is_zero = True

    def __init__(self, ids: Sequence[str], most: int, most_left: int) -> None:
        self.annotation = listed(model("OpenUse", {"card": str, "left": whole(0, most_left)}), 0, most)
        self.ids, self.most, self.most_left = ("", *ids), most, most_left

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        cards, left = (list(word.to_bytes(4, "little")) for word in raw)
        count = 4 - cards.count(0)
        return (
            count <= self.most
            and not any(cards[count:] + left[count:])
            and max(cards) < len(self.ids)
            and max(left) <= self.most_left
        )

    def read(self, raw: Sequence[int], around: FieldContext) -> list[dict[str, Any]]:
        cards, left = (word.to_bytes(4, "little") for word in raw)
        return [{"card": self.ids[card], "left": rest} for card, rest in zip(cards, left, strict=True) if card]

    def write(self, value: list[dict[str, Any]], around: FieldContext) -> Sequence[int]:
        cards = bytes(self.ids.index(use["card"]) for use in value)
        return int.from_bytes(cards, "little"), int.from_bytes(bytes(use["left"] for use in value), "little")

    def faults(self, value: list[dict[str, Any]], around: FieldContext) -> Iterator[Text]:
        yield from unknown([use["card"] for use in value], self.ids[1:])


class Undealt(Kind):
    """Cards of the phase's deck, with repeats; in the struct a set of copies, and the number of cards dealt.

    Among equal cards, the highest copies remain.
    """

    annotation = listed(str, 0, DECK)

    def __init__(self, cards: Sequence[NamedCard]) -> None:
        self.cards = cards
        self.decks = [[card.id for card in cards for _ in range(card.copies[deck])] for deck in range(2)]

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        return raw[0] < 1 << DECK and raw[1] == DECK - raw[0].bit_count()

    def read(self, raw: Sequence[int], around: FieldContext) -> list[str]:
        return [card for i, card in enumerate(self.decks[deck_of(around.fields)]) if raw[0] >> i & 1]

    def write(self, value: list[str], around: FieldContext) -> Sequence[int]:
        left, copies = Counter(value), 0
        for i, card in reversed(list(enumerate(self.decks[deck_of(around.fields)]))):
            if left[card]:
                left[card] -= 1
                copies |= 1 << i
        return copies, DECK - len(value)

    def faults(self, value: list[str], around: FieldContext) -> Iterator[Text]:
        yield from unknown(value, [card.id for card in self.cards])
        deck, there = deck_of(around.fields), Counter([*value, *around.fields["grid"]])
        for card in self.cards:
            if there[card.id] > card.copies[deck]:
                times, number = there[card.id], card.copies[deck]
                yield text("fault.copies", card=repr(card.id), times=times, deck="AB"[deck], number=number)


def deck_of(fields: dict[str, Any]) -> int:
    """Return the deck of the phase."""
    return (int(fields["phase"]) - 1) % 2


def goods_faults(fields: dict[str, Any]) -> Iterator[FieldFault]:
    """There are 74 pieces of gold, and each player has all chips of each kind.

    Chips are in the supply, in the camp (raw or turned), or placed; the bank holds the rest of the gold.
    """
    held = sum(player["gold"] for player in fields["players"])
    if held > GOLD:
        yield "players", text("fault.gold", held=held, number=GOLD)
    for seat, player in enumerate(fields["players"]):
        placed = Counter[str]([*player["section_1"], *player["section_2"], *player["section_3"]])
        for chip, material, number in zip(CHIPS, MATERIALS, CHIPS_OF_KIND, strict=True):
            raw = player["supply"][chip] + player["camp"][chip]
            total = raw + player["materials"][material] + placed[material]
            if total != number:
                who = COLOURS[seat]
                fault = text("fault.chips", who=who, total=total, chip=chip, material=material, number=number)
                yield f"players[{seat}]", fault


def seal_faults(fields: dict[str, Any]) -> Iterator[FieldFault]:
    """There are ten neutral seals: in the stack, with the players, flipped; the unseen ones are of the first four."""
    held = [seal for player in fields["players"] for seal in (*player["seals"], *player["flipped"])]
    unseen = Counter[str](fields["unseen_seals"])
    counts = Counter[str]([*fields["stack"], *held]) + unseen
    for seal, number in zip(SEALS, SEALS_OF_KIND, strict=True):
        if counts[seal] != number:
            yield "stack", text("fault.seals", count=counts[seal], seal=seal, number=number)
    if unseen - UNSEEN:
        yield "unseen_seals", text("fault.first", seals=str(fields["unseen_seals"]))
    if fields["seal_order"] and Counter(fields["seal_order"]) != unseen:
        yield "seal_order", text("fault.order", seals=str(fields["seal_order"]))


CONSISTENCY_CHECKS = (goods_faults, seal_faults)

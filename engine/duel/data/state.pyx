# cython: language_level=3
"""The fields of a position of `duel`: names, ranges and meanings of the members of the struct."""
from clerestory.engine.shared.place cimport at

from typing import Literal

from clerestory.engine.duel.data.names import CHIPS, COLOURS, MATERIALS, PLACES
from clerestory.engine.duel.data.names import SEALS as SEAL_NAMES
from clerestory.engine.duel.data.position import OpenUses, Section, Undealt
from clerestory.engine.positions.goods import Good, Way
from clerestory.engine.positions.kinds import (
    Amounts, Card, Choice, Deck, Each, Flag, Multiset, Number, Order, Seat, Set, listed,
)
from clerestory.engine.positions.layout import Field, Layout

cdef Duel s  # not a position: only the addresses of its members are used
cdef Player *p = &s.players[0]

# steps that JSON names after the card of the shipped catalogue that leads to them
AFTER_CARDS = {
    AT_SELL_WOOL: "aliena", AT_TURN_CHIPS: "regan", AT_FINISH: "alfred", AT_TRADE_SEALS: "maud", AT_PLACE_ONE: "tom",
    AT_RETURN_MATERIAL: "william",
}
STEP_NAMES = [AFTER_CARDS.get(step, step.name.removeprefix("AT_").lower()) for step in Step]

MOST_LEFT = 11  # of a use: the chips of a player
FEW = Number(0, MOST_LEFT)
CHIPS_IN_WORD = Amounts(CHIPS, 0, 11, bits=4)
ORDER_OF_SEALS = Order(SEAL_NAMES, 2, 10)
PLACES_OF_GRID = Set(PLACES, listed(Literal[PLACES], 0, 3))


def layout_of(names):
    """Return the layout of positions in memory and in JSON, with the cards of a catalogue."""
    card = Card([card.id for card in names.cards])
    return Layout(
        "duel",
        range(SEATS, SEATS + 1),
        (<size_t> &s, sizeof(Duel)),
        (<size_t> p, sizeof(Player)),
        [*course_fields(card), *use_fields(card), open_field(card), *seal_fields(), *deck_fields(names)],
        [*goods_fields(names), *conflict_fields(names)],
        goods=goods(),
    )


def goods():
    """Return what a player can have more of; chips come from the player's supply."""
    raw = [Good(chip, (Way({f"camp.{chip}": 1, f"supply.{chip}": -1}),)) for chip in CHIPS]
    turned = [
        Good(material, (Way({f"materials.{material}": 1, f"supply.{chip}": -1}),))
        for chip, material in zip(CHIPS, MATERIALS, strict=True)
    ]
    return [Good("gold", (Way({"gold": 1}),)), *raw, *turned]


def course_fields(card):
    """Return the step, and the cards on the table."""
    grid = 'nine places in reading order: card, or `""` if none is dealt yet or a 1x card has gone to its owner'
    turn_of = 'whose turn it is, from the end of the conflict on: a colour, else `""`'
    return [
        Field("phase", at(&s.phase), Number(1, PHASES, first=1), "1 to 4"),
        Field("round", at(&s.round), Number(1, ROUNDS, first=1), "1 to 3, within the phase"),
        Field("step", at(&s.step), Choice(STEP_NAMES), "RULES.md, section 2"),
        Field("to_act", at(&s.actor), Seat(COLOURS, ("", "nature"), low=-2), "RULES.md, section 2"),
        Field("power", at(&s.power), Seat(COLOURS), "who holds the marker of power"),
        Field("first_player", at(&s.first), Seat(COLOURS), "who held it when the round started"),
        Field("grid", at(s.grid, GRID), Each(card, GRID), grid),
        Field("turn_of", at(&s.mover), Seat(COLOURS, ("",)), turn_of),
        Field("used", at(&s.used), PLACES_OF_GRID, "the player's places whose cards have been used in this turn"),
    ]


def use_fields(card):
    """Return the use of a card, and the actions of this turn."""
    in_use = "the card in use, while choices or draws for it remain (after pointing, the card named last); " \
        'else `""`, also during a bonus'
    left = "step `take`: chips still to be taken; `regan`, `bonus`: chips that may still be turned; `market`: " \
        "purchases still allowed; else 0"
    floor = "steps `take`, `regan`, `alfred`, `bonus`: the first kind that may be named (`wood` at the start); " \
        'else `""`'
    may_end = "the use has had an effect and can be ended by `done`, also while a bought seal is drawn; at step " \
        "`bonus` always true; else false"
    seals_due = "step `draw`: seals still to be drawn, including the one that Nature draws now, and at most as many " \
        "as there are; else 0"
    return [
        Field("card", at(&s.card), card, in_use),
        Field("left", at(&s.left), FEW, left),
        Field("floor", at(&s.floor), Choice(("", *CHIPS)), floor),
        Field("may_end", at(&s.may_end), Flag(), may_end),
        Field("seals_due", at(&s.seals_due), FEW, seals_due),
        Field("built", at(&s.built), Flag(), "the player has built in this turn"),
        Field("cheap", at(&s.cheap), Flag(), "the player has played Toledo in this turn"),
    ]


def open_field(card):
    """Return the uses that can be continued; earlier positions have none."""
    meaning = "uses that can be continued (D48), the innermost first: " \
        '`[{"card": CARD, "left": N}, ...]`, `left` as above, for `aliena` the wool that may still be sold; it may ' \
        "be missing in a position file"
    members = at(&s.open_cards), at(&s.open_left)
    return Field("open_uses", members, OpenUses(card.ids[1:], MOST_OPEN, MOST_LEFT), meaning, default=[])


def seal_fields():
    """Return the seal being flipped, and the stack."""
    flipping = 'step `flip`: the seal whose face Nature shows, or `personal`; else `""`'
    unseen = "those of the first four seals that have not been drawn yet; they are on top of the stack"
    order = Deck(SEAL_NAMES, FIRST_UNSEEN, Literal[SEAL_NAMES], unique=False)
    return [
        Field("flipping", at(&s.flipping), Choice(("", *SEAL_NAMES, "personal")), flipping),
        Field("unseen_seals", at(&s.unseen), Multiset(SEAL_NAMES, FIRST_UNSEEN), unseen),
        Field(
            "seal_order", at(s.seal_order, FIRST_UNSEEN), order, "their order, top first; `[]` if it is unknown",
            hidden="all",
        ),
        Field("stack", at(&s.stack), ORDER_OF_SEALS, "the seals below them, top first; everybody saw them put there"),
    ]


def deck_fields(names):
    """Return the phase's deck."""
    undealt = "cards of the phase's deck not dealt yet, equal ones repeated"
    order = "the order of the cards to come, next first: the rest of this phase's deck, then 27 for each phase " \
        "to come; `[]` if it is unknown"
    deck = Deck([card.id for card in names.cards], PHASES * DECK, unique=False)
    return [
        Field("undealt", (at(&s.undealt), at(&s.dealt)), Undealt(names.cards), undealt),
        Field("deck", at(&s.deck[0][0], PHASES * DECK), deck, order, hidden="all"),
    ]


def goods_fields(names):
    """Return a player's gold, chips and building."""
    placed = "materials placed; a complete section keeps its three"
    return [
        Field("gold", at(&p.gold), Number(0, 100), "the bank has the rest of the 74 pieces"),
        Field("supply", at(&p.supply), CHIPS_IN_WORD, 'chips in the player\'s supply, by kind: `{"wood": 1, ...}`'),
        Field("camp", at(&p.camp), CHIPS_IN_WORD, "raw chips in the camp, by kind"),
        Field(
            "materials", at(&p.materials), Amounts(MATERIALS, 0, 11, bits=4),
            'turned chips in the camp, by material: `{"beam": 0, ...}`',
        ),
        *(Field(f"section_{i + 1}", at(&p.placed), Section(names.needs, i), placed) for i in range(SECTIONS)),
    ]


def conflict_fields(names):
    """Return a player's seals, cards and markers."""
    seals = "neutral seals in hand; every player also has the personal one"
    flipped = "neutral seals flipped in this conflict, in the order of flipping"
    personal = "the personal seal has been flipped in this conflict"
    once = Set([card.id for card in names.cards if card.once])
    return [
        Field("seals", at(&p.seals), Multiset(SEAL_NAMES, 10), seals),
        Field("flipped", at(&p.flipped), ORDER_OF_SEALS, flipped),
        Field("personal_flipped", at(&p.personal_flipped), Flag(), personal),
        Field("sum", at(&p.sum), Number(0, 100), "of the faces in this conflict"),
        Field("cards", at(&p.hand), once, "1x cards in front of the player"),
        Field("markers", at(&p.markers), PLACES_OF_GRID, "places with the player's markers"),
    ]

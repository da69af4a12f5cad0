# cython: language_level=3
"""The fields of a position of `cathedral`: names, ranges and meanings of the members of the struct."""
from clerestory.engine.shared.place cimport at

from typing import Literal

from clerestory.engine.cathedral.data.names import COLOURS
from clerestory.engine.cathedral.data.names import TYPES as TYPE_NAMES
from clerestory.engine.cathedral.data.position import EventDeck, Uses
from clerestory.engine.positions.goods import Good, Way
from clerestory.engine.positions.kinds import (
    Amounts, Card, Choice, Deck, Each, Flag, Number, Order, Seat, SeatFlag, Set,
)
from clerestory.engine.positions.layout import Field, Layout

cdef Cathedral s  # not a position: only the addresses of its members are used
cdef Player *p = &s.players[0]

if CRAFTSMEN > 31 or max(RESOURCES, ADVANTAGES, EVENTS) > 16:
    raise ImportError("cathedral: the catalogue has more cards than the sets of a position have bits")

BUILDER = Seat(COLOURS, ("",))
COUNT = Number(0, 60)
POINTS = Number(0, 6000)


def layout_of(names):
    """Return the layout of positions in memory and in JSON, with the cards of a catalogue."""
    cards = {deck: [thing.id for thing in things] for deck, things in names._asdict().items()}
    return Layout(
        "cathedral",
        range(2, SEATS + 1),
        (<size_t> &s, sizeof(Cathedral)),
        (<size_t> p, sizeof(Player)),
        [*course_fields(), *space_fields(), *table_fields(cards), *choice_fields(cards), *deck_fields(cards)],
        [*goods_fields(), *worker_fields(), *card_fields(cards), *round_fields()],
        everywhere=cards["craftsmen"][:STARTING],
        goods=goods(),
    )


def goods():
    """Return what a player can have more of. VP need a source; workers are lent for the round, several at once."""
    sources = {"vp_craftsmen": 1}, {"vp_priory": 1}, {"vp_cards": 1}, {"vp_lost": -1}
    return [
        Good("gold", (Way({"gold": 1}),)),
        *(Good(type_, (Way({type_: 1}, {f"supply.{type_}": -1}),)) for type_ in TYPE_NAMES),
        Good("workers", tuple([Way({"grey": GREY_LENT, at_: GREY_LENT}) for at_ in ("workers", "mill")]), GREY_LENT),
        Good("vp", tuple([Way({"vp": 1} | source) for source in sources])),
    ]


def course_fields():
    """Return the step, and the drawn builder."""
    waiting = Order(COLOURS, 4, MAX_COST, seated=True)
    steps = [step.name.removeprefix("AT_").lower() for step in Step]
    return [
        Field("round", at(&s.round), Number(1, ROUNDS), "1 to 6"),
        Field("step", at(&s.step), Choice(steps), "RULES.md, section 2"),
        Field("to_act", at(&s.actor), Seat(COLOURS, ("", "nature"), low=-2), "RULES.md, section 2"),
        Field("starting_player", at(&s.starting), Seat(COLOURS), "colour"),
        Field("cost", at(&s.cost), Number(0, MAX_COST), "7 to 0, the cost marker"),
        Field("redraw_used", at(&s.redraw_used), Flag(), "the redraw of this round has been used"),
        Field("drawn", at(&s.drawn), BUILDER, "builder drawn, neither placed nor waiting yet"),
        Field("free_placement", at(&s.free_placement), Flag(), "Remigius was played for the drawn builder"),
        Field("waiting", at(&s.waiting), waiting, "waiting builders, first passed first"),
    ]


def space_fields():
    """Return the builders on the board."""
    pair = Each(BUILDER, 2)
    return [
        Field("archbishop", at(&s.spaces[ARCHBISHOP]), BUILDER, "builder there"),
        Field("castle", at(&s.spaces[CASTLE]), BUILDER, "builder there"),
        Field("start", at(&s.spaces[START]), BUILDER, "builder there"),
        Field("kingsbridge", at(&s.spaces[KINGSBRIDGE], 2), pair, '2 spaces, builder or `""`'),
        Field("priory", at(&s.spaces[PRIORY], 2), pair, '2 spaces, builder or `""`'),
        Field("court", at(&s.spaces[COURT], COURT_SPACES), Each(BUILDER, COURT_SPACES), "4 spaces"),
        Field("shiring", at(&s.spaces[SHIRING], 2), pair, '2 spaces, builder or `""`'),
        Field("market", at(&s.spaces[MARKET], STALLS), Each(BUILDER, STALLS), "4 spaces"),
    ]


def table_fields(cards):
    """Return the cards and goods on the board."""
    stall = "during the market, the space whose turn it is, 1 to 4; else 0"
    shown = '2 entries: card, or `""` if taken, gone or not yet turned up'
    supply = "cards still available in the draft; empty once it is over"
    event = "the event of this round, from when it is turned up to the end of the round"
    protection = "the builder at the archbishop's seat took protection (until step 2 is over)"
    stock = 'market: `{"sand": 4, "wood": 4, "stone": 4}`'
    owed = "general supply, all four types; sand, wood and stone may be negative (R7)"
    advantages, craftsmen = Each(Card(cards["advantages"]), 2), Each(Card(cards["craftsmen"]), 2)
    return [
        Field("stall", at(&s.stall), Number(0, STALLS), stall),
        Field("kingsbridge_cards", at(s.kingsbridge_cards, 2), advantages, shown, home="advantages"),
        Field("shiring_cards", at(s.shiring_cards, 2), craftsmen, shown, home="craftsmen"),
        Field("supply_craftsmen", at(&s.supply_craftsmen), Set(cards["craftsmen"]), supply, home="craftsmen"),
        Field("supply_resources", at(&s.supply_resources), Set(cards["resources"]), supply, home="resources"),
        Field("event", at(&s.event), Card(cards["events"]), event),
        Field("protection", at(&s.protection), Flag(), protection),
        Field("die", at(&s.die), Number(0, 5), "the roll, from `roll` until the tax is paid; else 0"),
        Field("stock", at(s.stock, 3), Amounts(TYPE_NAMES[:3], 0, STOCK), stock),
        Field("court_metal", at(&s.court_metal), Number(0, 1), "0 or 1"),
        Field("supply", at(s.supply, TYPES), Amounts(TYPE_NAMES, -120, CUBES), owed),
    ]


def choice_fields(cards):
    """Return the parts already chosen of a choice with several parts."""
    floor = 'step `keep`: the first type that may be discarded (`sand` at its start); else `""`'
    used = 'step `cathedral`: `[{"craftsman": CARD, "times": N}, ...]` for the free craftsmen used so far'
    last = 'step `cathedral`: the craftsman used last, or `""`'
    blessing = "step `cathedral`: the player has used a craftsman beyond its capacity (R42)"
    return [
        Field("floor", at(&s.floor), Choice(("", *TYPE_NAMES)), floor),
        Field("used", at(s.used, 2), Uses(cards["craftsmen"]), used),
        Field("last_used", at(&s.last_used), Card(cards["craftsmen"]), last),
        Field("blessing_used", at(&s.blessing_used), Flag(), blessing),
    ]


def deck_fields(cards):
    """Return the cards not turned up yet, and their hidden order; a seat can know at most the coming event."""
    unseen = "cards not turned up yet, including the removed ones"
    order = "the order, top first, without the removed cards; `[]` if it is unknown"
    coming = order + "; a single card is the event that Ellen's owner has been shown (R40)"
    of_rounds = "the order of the craftsmen not turned up yet: the rest of this round's, then by round; `[]` " \
        "if it is unknown"
    advantages = Deck(cards["advantages"], ADVANTAGE_DECK)
    events = EventDeck(cards["events"], EVENT_DECK)
    craftsmen = Deck(cards["craftsmen"], CRAFTSMAN_DECK)
    return [
        Field("unseen_advantages", at(&s.unseen_advantages), Set(cards["advantages"]), unseen, home="advantages"),
        Field("unseen_events", at(&s.unseen_events), Set(cards["events"]), unseen),
        Field("advantage_deck", at(s.advantage_deck, ADVANTAGE_DECK), advantages, order, hidden="all"),
        Field("event_deck", at(s.event_deck, EVENT_DECK), events, coming, hidden="others"),
        Field("craftsman_deck", at(s.craftsman_deck, CRAFTSMAN_DECK), craftsmen, of_rounds, hidden="all"),
    ]


def goods_fields():
    """Return a player's points, gold and cubes."""
    account = f"where the VP came from and went: vp = {FIRST_VP} + priory + craftsmen + cards - lost"
    return [
        Field("vp", at(&p.vp), POINTS),
        Field("gold", at(&p.gold), COUNT),
        *(Field(TYPE_NAMES[i], at(&p.cubes[<int> i]), Number(0, MOST_HELD)) for i in range(TYPES)),
        Field("vp_priory", at(&p.vp_priory), COUNT, account),
        Field("vp_craftsmen", at(&p.vp_craftsmen), POINTS, account),
        Field("vp_cards", at(&p.vp_cards), Number(0, 150), account),
        Field("vp_lost", at(&p.vp_lost), Number(0, 100), account),
    ]


def worker_fields():
    """Return a player's workers."""
    return [
        Field("workers", at(&p.workers), Number(0, 15), "in the player's own reserve"),
        Field("mill", at(&p.mill), Number(0, 15), "at the wool mill"),
        Field("grey", at(&p.grey), COUNT, "grey workers among this player's workers in this round"),
        Field("grey_next", at(&p.grey_next), COUNT, "grey workers from the castle for the next round"),
    ]


def card_fields(cards):
    """Return the cards of a player."""
    fresh = "those of the advantage cards that were taken in this round"
    return [
        Field("craftsmen", at(&p.craftsmen), Set(cards["craftsmen"]), "cards held", home="craftsmen"),
        Field("advantages", at(&p.advantages), Set(cards["advantages"]), "cards held", home="advantages"),
        Field("resource_cards", at(&p.resources), Set(cards["resources"]), "cards held", home="resources"),
        Field("fresh", at(&p.fresh), Set(cards["advantages"]), fresh),
    ]


def round_fields():
    """Return the state of a player for a round."""
    types = TYPE_NAMES[:3]
    return [
        Field("bag", at(&p.bag), Number(0, BUILDERS), "builders in the bag"),
        Field("aside", at(&p.aside), Number(0, BUILDERS), "builders set aside under `town_wall`"),
        Field("passed", at(&s.passed), SeatFlag(), "has passed in the draft (only during it)"),
        Field("spared", at(&s.spared), SeatFlag(), "this round's event does not affect this player"),
        Field("limited", at(&s.limited), SeatFlag(), "under `town_wall` in this round"),
        Field("limited_next", at(&s.limited_next), SeatFlag(), "under `town_wall` in the next round"),
        Field("bought", at(&p.bought), Set(types, list[Literal[types]]), "types bought in this round's market"),
    ]

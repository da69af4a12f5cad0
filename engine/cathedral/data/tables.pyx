# cython: language_level=3
"""Fills the tables of the cards from a catalogue."""
from itertools import combinations

from libc.string cimport memset

from clerestory.engine.cathedral.data.state cimport STARTING

from clerestory.engine.catalogue import amount_of
from clerestory.engine.cathedral.data.catalogue import TYPES as TYPE_NAMES
from clerestory.engine.cathedral.data.effects import EventKind

AMOUNTS = ("gold", "vp", "cubes", "most"), ("builders",)  # of events; the latter is read separately
GAINED = (), ("gold", "metal")


def content():
    """Return the tables as they are in memory, for other builds of the rules."""
    return (<const char *> &cards)[:sizeof(Tables)]


def fill(catalogue):
    """Fill the tables from a catalogue. Precondition: no position of another catalogue is in use."""
    memset(&cards, 0, sizeof(Tables))
    fill_craftsmen(catalogue)
    fill_rounds(catalogue)
    fill_resources(catalogue)
    fill_advantages(catalogue)
    fill_events(catalogue)


def packed(goods):
    """Return goods as bytes of one word: sand, wood, stone, metal, gold."""
    return sum(getattr(goods, name) << 8 * i for i, name in enumerate((*TYPE_NAMES, "gold")))


def fill_craftsmen(catalogue):
    cdef int i, gold
    places = {card: i for i, card in enumerate(catalogue.all_craftsmen)}
    for i, craftsman in enumerate(catalogue.all_craftsmen.values()):
        cards.craftsmen[i].takes = packed(craftsman.takes)
        cards.craftsmen[i].needs = packed(craftsman.needs)
        cards.craftsmen[i].requires = sum([1 << places[card] for card in craftsman.requires])
        cards.craftsmen[i].vp = craftsman.gives.vp
        cards.craftsmen[i].gold = craftsman.gives.gold
        cards.craftsmen[i].capacity = craftsman.capacity
        cards.craftsmen[i].cost = getattr(craftsman, "cost", 0)
        # R21, R31: free to be used in any order
        if craftsman.gives.gold or craftsman.takes.gold or packed(craftsman.needs):
            cards.free_craftsmen |= 1u << i
        cards.buys_wood |= (craftsman.permits == "buy_wood") << i
        cards.sells_stone |= (craftsman.permits == "sell_stone") << i
        cards.blessable |= craftsman.blessing << i
        for gold in range(cards.craftsmen[i].cost, MAX_GOLD + 1):
            cards.hirable[gold] |= 1u << i
    rate_craftsmen(catalogue)


def fill_rounds(catalogue):
    """Fill in the craftsmen of each round, which are adjacent in the catalogue."""
    cdef int i, round_
    for i, craftsman in enumerate(catalogue.craftsmen.values()):
        cards.of_round[<int> craftsman.round] |= 1u << (STARTING + i)
        for round_ in range(craftsman.round + 1, ROUNDS + 2):
            cards.craftsmen_before[round_] += 1


def rate_craftsmen(catalogue):
    """Fill in the guide's rates, and the average VP from a round's cubes."""
    cdef int i
    rates = []
    for i, craftsman in enumerate(catalogue.all_craftsmen.values()):
        cards.rate[i] = craftsman.rate
        cards.promise[i] = craftsman.promise
        rates.append((-cards.rate[i], i))
    for i, (_, card) in enumerate(sorted(rates)):
        cards.by_rate[i] = card
        cards.rank[<int> card] = i


def fill_resources(catalogue):
    cdef int i, workers
    cdef unsigned int held
    for i, (one, other) in enumerate(combinations(range(RESOURCES), 2)):
        cards.pairs[i] = 1u << <int> one | 1u << <int> other
    for i, card in enumerate(catalogue.resource_cards.values()):
        for workers in range(card.workers, MOST_WORKERS):
            cards.workable[workers] |= 1u << i
        for held in range(1 << RESOURCES):
            if held >> i & 1:
                cards.yields[held] += (card.yields << 8 * TYPE_NAMES.index(card.type)) + (card.workers << 24)


def fill_advantages(catalogue):
    cdef int i, type_
    for i, card in enumerate(catalogue.advantage_cards.values()):
        effect = card.effect
        if effect.kind == "gain":
            fill_advantage(i, effect)
            continue
        cards.kept |= 1u << i
        for type_ in range(3 if effect.kind == "production" else 0):
            if getattr(effect, TYPE_NAMES[type_]):
                cards.producer[type_] = 1u << i
                cards.produced[type_] = getattr(effect, TYPE_NAMES[type_])
    cards.priory = holder(catalogue, "priory")
    cards.protection = holder(catalogue, "protection")
    cards.black_worker = holder(catalogue, "black_worker")
    cards.room = holder(catalogue, "craftsman_room")
    cards.free_builder = holder(catalogue, "free_builder")
    cards.exemption = holder(catalogue, "tax_exemption")
    cards.fixed_tax = holder(catalogue, "fixed_tax")
    cards.foresight = holder(catalogue, "foresight")
    cards.priory_vp = lasting_amount(catalogue, "priory", "vp")
    cards.tax = lasting_amount(catalogue, "fixed_tax", "gold")
    cards.room_cards = lasting_amount(catalogue, "craftsman_room", "cards")


cdef object fill_advantage(int i, effect):
    """Fill in the gains of an immediate card."""
    cdef int type_
    cards.advantages[i].vp = getattr(effect, "vp", 0)
    cards.advantages[i].gold = getattr(effect, "gold", 0)
    for type_, name in enumerate(TYPE_NAMES):
        cards.advantages[i].cubes[type_] = getattr(effect, name, 0)


def holder(catalogue, kind):
    """Return the card with a lasting effect as a set, empty if there is none."""
    card = catalogue.kind_of(kind)
    return 1 << list(catalogue.advantage_cards).index(card) if card else 0


def lasting_amount(catalogue, kind, amount):
    """Return an amount of a lasting effect, 0 if there is no such card."""
    card = catalogue.kind_of(kind)
    return getattr(catalogue.advantage_cards[card].effect, amount) if card else 0


def fill_events(catalogue):
    cdef int i
    for i, (name, card) in enumerate(catalogue.event_cards.items()):
        effect = card.effect
        cards.negative |= (card.sign == "negative") << i
        cards.events[i].kind = EventKind[f"EVENT_{effect.kind.upper()}"]
        cards.events[i].amount = amount_of(name, effect, *(GAINED if effect.kind == "gain" else AMOUNTS))
        if effect.kind == "gain":
            cards.events[i].gold = effect.gold
            cards.events[i].metal = effect.metal
        if effect.kind == "builders":
            cards.builders_left = effect.builders

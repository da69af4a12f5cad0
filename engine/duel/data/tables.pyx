# cython: language_level=3
"""Fills the tables of the cards from a catalogue."""
from libc.string cimport memset

from clerestory.engine.duel.data.codes cimport BUILD, LOTS

from clerestory.engine.catalogue import amount_of
from clerestory.engine.duel.data.actions import sets_of_materials
from clerestory.engine.duel.data.catalogue import CHIPS_OF_KIND
from clerestory.engine.duel.data.names import CHIPS, COLOURS, MATERIALS

PAYING = ("influence", "craftsman", "market", "convert", "finish")
TRADING = (*PAYING, "sell_wool")
INSIDE = {  # effects inside whose use a 1x card can give what it gives neither before nor after (D48)
    "take": ("market", "sell_wool"),
    "trade_seals": ("influence", "market", "sell_wool"),
    "donation": TRADING,
    "match_gold": TRADING,
    "copy_marked": (*TRADING, "trade_seals"),
    "copy_unmarked": (*TRADING, "trade_seals"),
}
AMOUNTS = ("gold", "chips", "seals", "limit", "count"), ("price", "wool", "chip", "kinds")  # the latter separately


def content():
    """Return the tables as they are in memory, for other builds of the rules."""
    return (<const char *> &cards)[:sizeof(Tables)]


def fill(catalogue):
    """Fill the tables from a catalogue. Precondition: no position of another catalogue is in use."""
    memset(&cards, 0, sizeof(Tables))
    cards.count = len(catalogue.cards)
    for card, (name, values) in enumerate(catalogue.cards.items()):
        fill_effect(card, name, values.effect)
        fill_frame(card, values)
    fill_once(catalogue)
    fill_plenty(catalogue)
    for deck, name in enumerate("ab"):
        fill_deck(deck, [getattr(values, name) for values in catalogue.cards.values()])
    for seat, building in enumerate((catalogue.castle, catalogue.cathedral)):
        for section, needs in enumerate(building.needs()):
            fill_section(seat, section, sorted(MATERIALS.index(material) for material in needs))
    fill_prices(catalogue.building)


cdef object fill_effect(int card, name, effect):
    cards.effects[card].kind = EffectKind[f"EFFECT_{effect.kind.upper()}"]
    cards.effects[card].amount = amount_of(name, effect, *AMOUNTS)
    cards.effects[card].price = getattr(effect, "price", 0)
    cards.effects[card].wool = getattr(effect, "wool", 0)
    if hasattr(effect, "chip"):
        cards.effects[card].chip = CHIPS.index(effect.chip)
    for kind in getattr(effect, "kinds", ()):
        cards.effects[card].kinds |= 15u << 4 * <int> CHIPS.index(kind)


cdef object fill_frame(int card, values):
    cdef uint64_t bit = <uint64_t> 1 << card
    cdef int seat
    if values.frame == "once":
        cards.once |= bit
    elif values.frame == "neutral":
        cards.symbols |= bit
    for seat, colour in enumerate(COLOURS):
        if values.frame in ("neutral", colour):
            cards.usable[seat] |= bit
    if values.effect.kind == "copy_any":
        cards.pointing |= bit


def fill_once(catalogue):
    """Give each 1x card a bit in a hand and a deck."""
    cdef int card, bit = 0
    for card, values in enumerate(catalogue.cards.values()):
        if values.frame != "once":
            continue
        cards.once_of[card] = bit
        cards.card_of_once[bit] = card
        cards.of_deck[0 if values.a else 1] |= 1u << bit
        if values.effect.kind == "storm":
            cards.storming |= 1u << bit
        if values.effect.kind == "cheap_building":
            cards.cheap_placing = values.effect.price
        if values.effect.kind == "donation":
            cards.donation |= 1u << bit
        for kind in INSIDE.get(values.effect.kind, ()):
            cards.inside[<int> EffectKind[f"EFFECT_{kind.upper()}"]] |= 1u << bit
        bit += 1


def fill_plenty(catalogue):
    """Add the maximum income of the card for sections (three end the game) to the maximum payment of an act."""
    effects = [card.effect for card in catalogue.cards.values()]
    given = max((effect.gold for effect in effects if effect.kind == "donation"), default=0)
    cards.plenty = (SECTIONS - 1) * <int> given + <int> max(map(most_paid, effects))


def most_paid(effect):
    """Return the maximum gold that one act of a use pays: all chips of a craftsman, else one thing."""
    if effect.kind == "craftsman":
        return effect.price * CHIPS_OF_KIND[CHIPS.index(effect.chip)]
    return effect.price if effect.kind in PAYING else 0


cdef object fill_deck(int deck, copies):
    cdef int card, copy = 0
    for card, count in enumerate(copies):
        for _ in range(count):
            cards.cards[deck][copy] = card + 1
            cards.copies[deck][card] |= 1u << copy
            copy += 1
        if count:
            cards.last_copy[deck] |= 1u << (copy - 1)


cdef object fill_section(int seat, int section, needs):
    cdef int i, placed
    cdef Builds *builds
    for i in range(3):
        cards.needs[seat][section][i] = needs[i]
    for placed in range(8):
        builds = &cards.builds[seat][section][placed]
        for code, chosen in builds_of(section, needs, placed):
            builds.list[builds.count].code = code
            builds.list[builds.count].needs = sum(1 << i for i in chosen)
            builds.list[builds.count].size = len(chosen)
            builds.list[builds.count].materials = sum(1 << 4 * needs[i] for i in chosen)
            builds.count += 1
        for i in range(3):
            if placed >> i & 1:
                cards.standing[seat][section][placed] |= 1u << 4 * <int> needs[i]
            else:
                cards.missing[seat][section][placed] |= 1u << 4 * <int> needs[i]


def builds_of(section, needs, placed):
    """Return (code, needs met) for everything that can be built at once, ascending; lowest of equal needs first."""
    lots = [tuple(MATERIALS.index(name) for name in lot) for lot in sets_of_materials()]
    found = {}
    for chosen in range(1, 8):
        if not chosen & placed:
            met = [i for i in range(3) if chosen >> i & 1]
            found.setdefault(BUILD + LOTS * section + lots.index(tuple(needs[i] for i in met)), met)
    return sorted(found.items())


def fill_prices(building):
    cdef int size
    for size in range(3):
        cards.placing[size + 1] = building.placing[size]
    cards.bonus_seals = building.bonus_seals
    cards.bonus_gold = building.bonus_gold
    cards.bonus_chips = building.bonus_chips

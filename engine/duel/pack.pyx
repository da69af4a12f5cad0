# cython: language_level=3
"""Between the struct and the fields of a position, both ways. What the fields mean is in RULES.md."""
from libc.string cimport memset

from clerestory.engine.core cimport NATURE, OVER
from clerestory.engine.duel.state cimport *
from clerestory.engine.duel.tables cimport cards

from clerestory.engine.duel.names import CHIPS, COLOURS, MATERIALS, PLACES, STEP_NAMES
from clerestory.engine.duel.names import SEALS as SEAL_NAMES

FLIPPING = ("", *SEAL_NAMES, "personal")


# -- to fields -------------------------------------------------------------------------------------

cdef dict unpack_fields(const Duel *s, object names):
    return {
        "phase": s.phase + 1,
        "round": s.round + 1,
        "step": STEP_NAMES[s.step],
        "to_act": actor_name(s),
        "power": COLOURS[s.power],
        "first_player": COLOURS[s.first],
        "grid": [card_name(names, s.grid[i]) for i in range(GRID)],
        **unpack_turn(s, names),
        **unpack_stack(s),
        **unpack_deck(s, names),
        "players": [unpack_player(&s.players[seat], seat, names) for seat in range(SEATS)],
    }


cdef str actor_name(const Duel *s):
    return {NATURE: "nature", OVER: ""}.get(s.actor) if s.actor < 0 else COLOURS[s.actor]


cdef dict unpack_turn(const Duel *s, object names):
    return {
        "turn_of": COLOURS[s.mover - 1] if s.mover else "",
        "used": places_in(s.used),
        "card": card_name(names, s.card),
        "left": s.left,
        "floor": CHIPS[s.floor - 1] if s.floor else "",
        "may_end": bool(s.may_end),
        "seals_due": s.seals_due,
        "built": bool(s.built),
        "cheap": bool(s.cheap),
    }


cdef dict unpack_stack(const Duel *s):
    return {
        "flipping": FLIPPING[s.flipping],
        "unseen_seals": seals_in(s.unseen),
        "seal_order": [SEAL_NAMES[s.seal_order[i] - 1] for i in range(FIRST_UNSEEN) if s.seal_order[i]],
        "stack": order_of(s.stack),
    }


cdef dict unpack_deck(const Duel *s, object names):
    cdef int copy
    undealt = [copy for copy in range(DECK) if s.undealt >> copy & 1]
    return {
        "undealt": [card_name(names, cards.cards[s.phase & 1][<int> copy]) for copy in undealt],
        "deck": [
            card_name(names, s.deck[phase][place])
            for phase in range(PHASES) for place in range(DECK) if s.deck[phase][place]
        ],
    }


cdef dict unpack_player(const Player *p, int seat, object names):
    cdef int i
    return {
        "gold": p.gold,
        "supply": {CHIPS[i]: count_of(p.supply, i) for i in range(KINDS)},
        "camp": {CHIPS[i]: count_of(p.camp, i) for i in range(KINDS)},
        "materials": {MATERIALS[i]: count_of(p.materials, i) for i in range(KINDS)},
        **{f"section_{i + 1}": placed_materials(p, seat, i) for i in range(SECTIONS)},
        "seals": seals_in(p.seals),
        "flipped": order_of(p.flipped),
        "personal_flipped": bool(p.personal_flipped),
        "sum": p.sum,
        "cards": [
            card.id for i, card in enumerate(names.cards) if card.once and p.hand >> cards.once_of[<int> i] & 1
        ],
        "markers": places_in(p.markers),
    }


cdef list placed_materials(const Player *p, int seat, int section):
    cdef int i
    return [MATERIALS[cards.needs[seat][section][i]] for i in range(3) if p.placed >> 3 * section + i & 1]


cdef str card_name(object names, int card_and_one):
    return names.cards[card_and_one - 1].id if card_and_one else ""


cdef list places_in(unsigned int places):
    return [PLACES[i] for i in range(GRID) if places >> i & 1]


cdef list seals_in(unsigned int counts):
    return [SEAL_NAMES[i] for i in range(SEALS) for _ in range(count_of(counts, i))]


cdef list order_of(unsigned int order):
    return [SEAL_NAMES[(order >> 2 * i & 3) - 1] for i in range(length(order))]


# -- from fields -----------------------------------------------------------------------------------

cdef object pack_fields(object position, object names, Duel *s):
    """Write a position whose fields are in range each by itself; whether it is sound is for check to say."""
    memset(s, 0, sizeof(Duel))
    numbers = {card.id: number for number, card in enumerate(names.cards, 1)} | {"": 0}
    pack_course(position, numbers, s)
    pack_turn(position, numbers, s)
    pack_stack(position, s)
    pack_deck(position, numbers, s)
    for seat, player in enumerate(position.players):
        pack_player(player, seat, numbers, &s.players[<int> seat])


cdef object pack_course(object position, dict numbers, Duel *s):
    cdef int i
    s.seats = SEATS
    s.phase = position.phase - 1
    s.round = position.round - 1
    s.step = STEP_NAMES.index(position.step)
    s.actor = {"nature": NATURE, "": OVER}.get(position.to_act, -1)
    if position.to_act in COLOURS:
        s.actor = COLOURS.index(position.to_act)
    s.power = COLOURS.index(position.power)
    s.first = COLOURS.index(position.first_player)
    for i in range(GRID):
        s.grid[i] = numbers[position.grid[i]]


cdef object pack_turn(object position, dict numbers, Duel *s):
    s.mover = COLOURS.index(position.turn_of) + 1 if position.turn_of else 0
    s.used = set_of_places(position.used)
    s.card = numbers[position.card]
    s.left = position.left
    s.floor = CHIPS.index(position.floor) + 1 if position.floor else 0
    s.may_end = position.may_end
    s.seals_due = position.seals_due
    s.built = position.built
    s.cheap = position.cheap
    s.flipping = FLIPPING.index(position.flipping)


cdef object pack_stack(object position, Duel *s):
    """The unseen seals are the last of the first four."""
    cdef int place
    s.unseen = counts_of(position.unseen_seals)
    s.stack = number_of_order(position.stack)
    for place, seal in enumerate(position.seal_order, FIRST_UNSEEN - len(position.seal_order)):
        s.seal_order[place] = SEAL_NAMES.index(seal) + 1


cdef object pack_deck(object position, dict numbers, Duel *s):
    """Of equal cards the highest copies are left; the cards to come are the last of all phases'."""
    cdef int place, copy, phase = s.phase & 1
    left = [numbers[card] for card in position.undealt]
    for copy in range(DECK - 1, -1, -1):
        if cards.cards[phase][copy] in left:
            left.remove(cards.cards[phase][copy])
            s.undealt |= 1u << copy
    s.dealt = DECK - len(position.undealt)
    for place, card in enumerate(position.deck, PHASES * DECK - len(position.deck)):
        s.deck[place // DECK][place % DECK] = numbers[card]


cdef object pack_player(object player, int seat, dict numbers, Player *p):
    cdef int i
    p.gold = player.gold
    for i in range(KINDS):
        p.supply |= <unsigned int> getattr(player.supply, CHIPS[i]) << 4 * i
        p.camp |= <unsigned int> getattr(player.camp, CHIPS[i]) << 4 * i
        p.materials |= <unsigned int> getattr(player.materials, MATERIALS[i]) << 4 * i
    for i, placed in enumerate((player.section_1, player.section_2, player.section_3)):
        pack_section(placed, seat, i, p)
    p.seals = counts_of(player.seals)
    p.flipped = number_of_order(player.flipped)
    p.personal_flipped = player.personal_flipped
    p.sum = player.sum
    for card in player.cards:
        p.hand |= 1 << cards.once_of[<int> numbers[card] - 1]
    p.markers = set_of_places(player.markers)


cdef object pack_section(list placed, int seat, int section, Player *p):
    """Of equal needs the lowest is met first."""
    cdef int i
    left = [MATERIALS.index(material) for material in placed]
    for i in range(3):
        if cards.needs[seat][section][i] in left:
            left.remove(cards.needs[seat][section][i])
            p.placed |= 1 << 3 * section + i


def set_of_places(places):
    """Return places as a set of bits."""
    return sum(1 << PLACES.index(place) for place in places)


def counts_of(seals):
    """Return seals as a word of counts."""
    return sum(1 << 4 * SEAL_NAMES.index(seal) for seal in seals)


def number_of_order(seals):
    """Return an order of seals as a number."""
    return sum(SEAL_NAMES.index(seal) + 1 << 2 * i for i, seal in enumerate(seals))

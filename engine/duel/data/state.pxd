# cython: language_level=3
"""A position of `duel`: 216 bytes, with the hidden orders last, and operations shared by the chapters of the rules.

Cards are numbers in catalogue order. A byte that may hold no card, no seal or no seat holds the number plus one, and 0
for none. Chips and neutral seals in hand are counted in words of 4 bits per kind. An order of seals is a word of 2 bits
per seal, holding the kind plus one, the first lowest, so that 0 ends it. Places of the grid are sets of 9 bits in
reading order.
"""
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t

from clerestory.engine.duel.data.constants cimport *
from clerestory.engine.shared.bits cimport *

cdef enum:              # kinds of chips; turned: beam, mortar, brick, cloth, bell
    WOOD
    SAND
    STONE
    WOOL
    ORE

cdef enum:              # after the kinds of neutral seals
    PERSONAL = SEALS    # also a 2/3

cpdef enum Step:        # named after the question; RULES.md section 2 has their names in JSON
    AT_DEAL
    AT_CLAIM
    AT_STORM
    AT_TAKE_BACK
    AT_CONFLICT
    AT_FLIP
    AT_KEEP
    AT_TURN
    AT_COPY
    AT_INFLUENCE
    AT_DRAW
    AT_CRAFTSMAN
    AT_MARKET
    AT_SELL_WOOL
    AT_TAKE
    AT_TURN_CHIPS
    AT_FINISH
    AT_TRADE_SEALS
    AT_PLACE_ONE
    AT_RETURN_MATERIAL
    AT_BONUS
    AT_OVER

cdef enum:
    STEPS = AT_OVER + 1

cdef struct Player:
    uint32_t supply           # chips in the own supply
    uint32_t camp             # raw chips in the camp
    uint32_t materials        # turned chips in the camp
    uint32_t flipped          # order: neutral seals flipped in this conflict
    uint16_t markers          # set of places
    uint16_t placed           # 3 bits per section: which of its needs, equal ones from the lowest on
    uint16_t seals            # neutral seals in hand
    uint8_t gold              # 0-74
    uint8_t sum               # of the faces in this conflict
    uint8_t hand              # set of 1x cards
    uint8_t personal_flipped  # 0-1, in this conflict
    uint8_t pad[2]

cdef struct Duel:
    uint8_t seats             # 2
    uint8_t step              # AT_DEAL to AT_OVER
    int8_t actor              # seat to decide, NATURE or OVER
    uint8_t phase             # 0-3; its deck is phase & 1
    uint8_t round             # 0-2, in the phase
    uint8_t power             # seat that holds the marker of power
    uint8_t first             # seat that held it when the round started
    uint8_t mover             # seat + 1 whose turn it is, else 0
    uint8_t card              # card + 1 in use, while a choice or draw for it is pending
    uint8_t left              # chips still to be taken, turned or bought
    uint8_t floor             # kind + 1, the first kind that may be named, else 0
    uint8_t may_end           # 1: `done` is allowed at the next question
    uint8_t seals_due         # still to be drawn
    uint8_t built             # 1: the turn's building is done
    uint8_t cheap             # 1: building costs Toledo's price
    uint8_t flipping          # seal + 1, or PERSONAL + 1, whose face is due
    uint8_t grid[GRID]        # card + 1
    uint8_t dealt             # cards of the phase's deck, 0-27
    uint16_t used             # set of places of the mover, used in this turn
    uint16_t unseen           # unseen seals on top of the stack, 4 bits each
    uint8_t pad[2]
    uint32_t undealt          # set of copies of the phase's deck; the lowest of equal cards goes first
    uint32_t stack            # order: seals below the unseen ones
    uint32_t open_cards       # uses that can be continued (D48): card + 1, 8 bits each, innermost lowest
    uint32_t open_left        # for each, the value that `left` has for the card in use, 8 bits each
    Player players[SEATS]
    # hidden from both seats
    uint8_t deck[PHASES][DECK]  # card + 1 by place, 0 once dealt or if unknown
    uint8_t seal_order[FIRST_UNSEEN]  # seal + 1 by place, 0 once drawn or if unknown

cdef enum:
    HIDDEN_BYTES = 112  # at the end of the struct
    MOST_OPEN = 4       # uses: one, and those of three 1x cards inside it


# -- seats and steps -------------------------------------------------------------------------------

cdef inline void ask(Duel *s, int step, int seat) noexcept nogil:
    s.step = <uint8_t> step
    s.actor = <int8_t> seat

cdef inline void ask_mover(Duel *s, int step) noexcept nogil:
    ask(s, step, s.mover - 1)

cdef inline Player *mover(Duel *s) noexcept nogil:
    """Return the player to move. Precondition: it is a player's turn."""
    return &s.players[s.mover - 1]


# -- words of counts -------------------------------------------------------------------------------

cdef inline int count_of(unsigned int counts, int kind) noexcept nogil:
    return counts >> 4 * kind & 15

cdef inline unsigned int one(int kind) noexcept nogil:
    return 1u << 4 * kind

cdef inline int total(unsigned int counts) noexcept nogil:
    """Return the sum of a word of up to eight counts, less than 256 in total."""
    return <int> (((counts & 0x0F0F0F0Fu) + (counts >> 4 & 0x0F0F0F0Fu)) * 0x01010101u >> 24)

cdef inline unsigned int present(unsigned int counts) noexcept nogil:
    """Return bit 4 * kind of each kind with a count above 0; counts are 0-7."""
    return (counts + 0x77777777u) >> 3 & 0x11111111u

cdef inline bint holds(unsigned int counts, unsigned int need) noexcept nogil:
    """Whether every count is at least that of the need; both are 0-7."""
    return ((counts | 0x88888888u) - need & 0x88888888u) == 0x88888888u

cdef inline unsigned int from_floor(unsigned int counts, int floor) noexcept nogil:
    """Return the counts of the kinds from a floor (kind + 1) on."""
    return counts & 0xFFFFFFFFu << 4 * (floor - 1)


# -- gold and seals --------------------------------------------------------------------------------

cdef inline int bank(const Duel *s) noexcept nogil:
    return GOLD - s.players[0].gold - s.players[1].gold

cdef inline void gain_gold(Duel *s, Player *p, int gold) noexcept nogil:
    """Pay gold to a player, at most what the bank has (D15, D38)."""
    p.gold += <uint8_t> min(gold, bank(s))

cdef inline int length(unsigned int order) noexcept nogil:
    return 0 if order == 0 else (33 - leading_zeros(order)) >> 1

cdef inline unsigned int append(unsigned int order, unsigned int more) noexcept nogil:
    return order | more << 2 * length(order)

cdef inline bint any_in_stack(const Duel *s) noexcept nogil:
    return (s.unseen | s.stack) != 0

cdef inline int in_stack(const Duel *s) noexcept nogil:
    """Return the number of seals in the stack, seen or not."""
    return total(s.unseen) + length(s.stack)


# -- listing actions -------------------------------------------------------------------------------

cdef inline int list_kinds(unsigned int counts, int first_code, uint16_t *out) noexcept nogil:
    """Write first_code + kind for each kind with a count above 0, ascending."""
    cdef int n = 0
    counts = present(counts)
    while counts:
        out[n] = <uint16_t> (first_code + (lowest_bit(counts) >> 2))
        counts &= counts - 1
        n += 1
    return n

cdef inline int list_done(const Duel *s, uint16_t *out, int done) noexcept nogil:
    """Write the code that ends a use, where that is allowed (D16)."""
    out[0] = <uint16_t> done
    return s.may_end

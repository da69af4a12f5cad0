# cython: language_level=3
"""A position of `cathedral`, with the hidden decks last, and operations shared by the chapters of the rules.

Cards are numbers in catalogue order and sets are bit masks of these numbers. A byte that may hold no card or no builder
holds the number plus one, and 0 for none, so that zeroed memory is an empty board.
"""
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

from clerestory.engine.cathedral.data.constants cimport *
from clerestory.engine.shared.bits cimport *

cdef enum:              # cube types
    SAND
    WOOD
    STONE
    METAL
    TYPES

cpdef enum Step:        # of a round, RULES.md section 2
    AT_ADVANTAGES
    AT_CRAFTSMEN
    AT_RESOURCES
    AT_DRAFT
    AT_DRAW
    AT_REDRAW
    AT_BUILDER
    AT_WAITING
    AT_EVENT
    AT_PROTECTION
    AT_THOMAS
    AT_EVENT_CHOICE
    AT_ARCHBISHOP
    AT_TAX
    AT_EXEMPTION
    AT_SHIRING
    AT_MARKET
    AT_CATHEDRAL
    AT_KEEP
    AT_OVER

cdef enum:
    STEPS = AT_OVER + 1

cdef enum:              # spaces for builders
    ARCHBISHOP = 0
    KINGSBRIDGE = 1     # 2
    PRIORY = 3          # 2
    COURT = 5           # 4
    COURT_SPACES = 4
    SHIRING = 9         # 2
    CASTLE = 11
    MARKET = 12         # 4
    STALLS = 4
    START = 16
    SPACES = 17

cdef struct Player:
    uint8_t cubes[TYPES]      # held
    uint8_t gold              # 0-30; cubes and gold lie together: one word for conversions
    uint8_t workers           # in the player's reserve, including grey and black ones
    uint8_t mill              # workers at the wool mill
    uint8_t grey              # workers among these that return to the castle after this round
    uint32_t craftsmen        # set
    uint16_t vp               # vp = 2 + vp_priory + vp_craftsmen + vp_cards - vp_lost
    uint16_t vp_craftsmen
    uint16_t advantages       # set
    uint16_t fresh            # set: those taken in this round
    uint16_t resources        # set: cards with workers on them
    uint8_t grey_next         # workers lent for the next round
    uint8_t bag               # builders in the bag, 0-3
    uint8_t aside             # builders under town_wall, 0-3
    uint8_t bought            # set of types bought in this round's market
    uint8_t vp_priory
    uint8_t vp_cards
    uint8_t vp_lost
    uint8_t pad[3]

cdef struct Cathedral:
    uint8_t seats             # 2-4
    uint8_t step              # AT_ADVANTAGES to AT_OVER
    int8_t actor              # seat to decide, NATURE or OVER
    uint8_t round             # 1-6
    uint8_t starting          # seat of the starting player
    uint8_t cost              # the cost marker, 7-0
    uint8_t redraw_used       # 1: the redraw of this round is used up
    uint8_t drawn             # seat + 1 of the builder drawn, until it is placed or waits
    uint8_t free_placement    # 1: Remigius was played for it
    uint8_t stall             # 1-4 while the market acts, else 0
    uint8_t event             # card + 1, from its turning up to the end of the round
    uint8_t protection        # 1: the archbishop's builder took it, until step 2 is over
    uint8_t die               # 2-5 from the roll to the payment, else 0
    uint8_t floor             # type + 1, the first that may be discarded at AT_KEEP, else 0
    uint8_t blessing_used     # 1: at AT_CATHEDRAL a craftsman was used beyond its capacity
    uint8_t last_used         # craftsman + 1 used last at AT_CATHEDRAL, else 0
    uint8_t passed            # set of seats: out of the draft
    uint8_t spared            # set of seats: not affected by this round's event
    uint8_t limited           # set of seats: fewer builders in this round
    uint8_t limited_next      # set of seats: fewer builders in the next round
    uint8_t court_metal       # 0-1
    uint8_t stock[3]          # of the market: sand, wood, stone; 0-4
    int8_t supply[TYPES]      # general supply; negative: owed cubes (R7), never metal
    uint32_t waiting          # seat + 1 of the waiting builders, 4 bits each, the first passed lowest
    uint32_t supply_craftsmen  # set: available in the draft
    uint16_t supply_resources  # set: available in the draft
    uint16_t unseen_advantages  # set: not turned up yet, including the removed ones
    uint16_t unseen_events    # set
    uint8_t kingsbridge_cards[2]  # card + 1
    uint8_t shiring_cards[2]  # card + 1
    uint8_t pad[2]
    uint8_t spaces[SPACES]    # seat + 1 of the builder there
    uint8_t pad2[7]
    uint64_t used[2]          # uses of each free craftsman at AT_CATHEDRAL, 4 bits by card
    Player players[SEATS]
    # card + 1 by place in the deck, 0 once turned up or if unknown. Hidden from all seats, except the coming
    # event, which one player may have been shown (R40)
    uint8_t advantage_deck[ADVANTAGE_DECK]  # two a round
    uint8_t event_deck[EVENT_DECK]          # one a round
    uint8_t craftsman_deck[CRAFTSMAN_DECK]  # by round: Shiring 1 and 2, then those of the supply

cdef enum:              # at the end of the struct, whose size is a multiple of 8
    HIDDEN_BYTES = (ADVANTAGE_DECK + EVENT_DECK + CRAFTSMAN_DECK + 7) & ~7


# -- seats -----------------------------------------------------------------------------------------

cdef inline int next_seat(const Cathedral *s, int seat) noexcept nogil:
    """Return the next seat clockwise."""
    seat += 1
    return 0 if seat == s.seats else seat

cdef inline void ask(Cathedral *s, int step, int seat) noexcept nogil:
    s.step = <uint8_t> step
    s.actor = <int8_t> seat

cdef inline bint is_limited(const Cathedral *s, int seat) noexcept nogil:
    return s.limited >> seat & 1

cdef inline bint is_spared(const Cathedral *s, int seat) noexcept nogil:
    return s.spared >> seat & 1


# -- goods and points ------------------------------------------------------------------------------

cdef inline int cubes_held(const Player *p) noexcept nogil:
    return p.cubes[SAND] + p.cubes[WOOD] + p.cubes[STONE] + p.cubes[METAL]

cdef inline void gain_gold(Player *p, int gold) noexcept nogil:
    """Gain gold up to the limit of 30; the surplus is lost (step 3)."""
    p.gold = <uint8_t> min(p.gold + gold, <int> MAX_GOLD)

cdef inline void gain_cubes(Cathedral *s, Player *p, int type_, int count) noexcept nogil:
    """Gain cubes. Sand, wood and stone may be owed (R7); metal is limited by the supply (R9)."""
    if type_ == METAL:
        count = min(count, <int> s.supply[METAL])
    p.cubes[type_] += <uint8_t> count
    s.supply[type_] -= <int8_t> count

cdef inline void return_cubes(Cathedral *s, Player *p, int type_, int count) noexcept nogil:
    p.cubes[type_] -= <uint8_t> count
    s.supply[type_] += <int8_t> count

cdef inline void lose_vp(Player *p, int vp) noexcept nogil:
    """Lose VP, but never below 0 (R8)."""
    vp = min(vp, <int> p.vp)
    p.vp -= <uint16_t> vp
    p.vp_lost += <uint8_t> vp

cdef inline void pay_dues(Player *p, int gold) noexcept nogil:
    """Pay gold; a player with too little pays all of it and loses 1 VP for every full 2 missing (step 9)."""
    if p.gold >= gold:
        p.gold -= <uint8_t> gold
        return
    lose_vp(p, (gold - p.gold) >> 1)
    p.gold = 0

cdef inline void use_up(Player *p, unsigned int card) noexcept nogil:
    """Remove a single-use card, given as a set, from the game."""
    p.advantages &= <uint16_t> ~card
    p.fresh &= <uint16_t> ~card

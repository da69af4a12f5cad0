# cython: language_level=3
"""The effects of the cards for the rules: one struct of plain arrays, filled from the catalogue."""
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from clerestory.engine.cathedral.data.effects cimport Event
from clerestory.engine.cathedral.data.state cimport (
    ADVANTAGES, CRAFTSMEN, EVENTS, MAX_GOLD, PAIRS, RESOURCES, ROUNDS, TYPES,
)

cdef struct Craftsman:
    uint64_t takes     # for one use; bytes: sand, wood, stone, metal, gold
    uint64_t needs     # held and not spent; the same bytes
    uint32_t requires  # set of craftsmen; one of them must be held; 0: no requirement
    uint8_t vp         # for one use
    uint8_t gold       # for one use
    uint8_t capacity   # uses in a round, 1-9
    uint8_t cost       # in the draft

cdef struct Advantage:
    uint8_t vp         # amounts given at once by an immediate card
    uint8_t gold
    uint8_t cubes[TYPES]

cdef enum:
    MOST_WORKERS = 32  # in a reserve, plus one

cdef struct Tables:
    Craftsman craftsmen[CRAFTSMEN]
    uint32_t of_round[ROUNDS + 1]    # craftsmen of each round, from 1
    uint8_t craftsmen_before[ROUNDS + 2]  # number of craftsmen of earlier rounds, by round
    uint32_t free_craftsmen          # set: make gold, spend gold, or need a cube without spending it (R21)
    uint32_t buys_wood               # set: one of them is needed to buy wood
    uint32_t sells_stone             # set: one of them is needed to sell stone
    uint32_t blessable               # set: the blessing can raise their capacity
    uint8_t by_rate[CRAFTSMEN]       # craftsmen by decreasing rate; for the guide
    uint8_t rank[CRAFTSMEN]          # position of each in that order
    float rate[CRAFTSMEN]            # VP per cube or three gold; for the guide
    float promise[CRAFTSMEN]         # VP in a typical round; for the guide
    uint32_t hirable[MAX_GOLD + 1]   # by gold: craftsmen that cost no more
    uint16_t workable[MOST_WORKERS]  # by free workers: resource cards that need no more
    uint16_t pairs[PAIRS]            # of resource cards, as sets in the order of their codes
    uint32_t yields[1 << RESOURCES]  # of a set of resource cards; bytes: sand, wood, stone, workers
    Advantage advantages[ADVANTAGES]
    uint16_t kept                    # set: not immediate
    uint16_t producer[3]             # set of one or none: gives extra cubes of the type
    uint8_t produced[3]              # number of extra cubes
    uint8_t priory_vp                # for each builder at the Priory, to the holder of
    uint16_t priory                  # set of one or none; likewise for the effects below
    uint16_t protection
    uint16_t black_worker
    uint16_t room
    uint16_t free_builder
    uint16_t exemption
    uint16_t fixed_tax
    uint16_t foresight
    uint8_t room_cards               # additional craftsmen allowed
    uint8_t tax                      # gold, for the holder of fixed_tax
    uint8_t builders_left            # under EVENT_BUILDERS
    uint16_t negative                # set of events
    Event events[EVENTS]

cdef Tables cards  # the cards in use; read-only for the rules

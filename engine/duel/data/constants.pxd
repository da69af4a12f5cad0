# cython: language_level=3
"""The numbers of the rules, also visible in Python."""

cpdef enum:
    SEATS = 2
    PHASES = 4
    ROUNDS = 3              # of a phase
    DECK = 27               # cards of each deck
    GRID = 9
    GOLD = 74               # of both players and the bank
    FIRST_GOLD = 3
    SECTIONS = 3
    SECTION_SIZE = 3        # materials
    SECTION_POINTS = 10     # of a complete section, plus one per material
    KINDS = 5               # of chips
    SEALS = 3               # kinds of neutral ones
    FIRST_UNSEEN = 4        # neutral seals in the stack at the start
    MOST_CARDS = 54         # of a catalogue, all different
    MOST_ONCE = 8           # 1x cards

cpdef enum:                 # words of 4 bits per kind, the first lowest
    ALL_CHIPS = 0x14222     # of a player: wood, sand, stone, wool, ore
    START_CAMP = 0x00111
    START_SUPPLY = 0x14111
    NOT_ORE = 0x0FFFF
    BONUS_KINDS = 0x00FFF   # wood, sand, stone
    ALL_SEALS = 0x442       # 0/5, 1/4, 2/3
    START_SEALS = 0x111     # of a player
    START_UNSEEN = 0x220

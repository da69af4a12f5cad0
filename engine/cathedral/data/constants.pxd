# cython: language_level=3
"""The numbers of the rules and the cards, also visible in Python. setup.py counts the cards of catalogue.toml."""
from clerestory.engine.cathedral.data.counts cimport *

cpdef enum:
    SEATS = 4
    ROUNDS = 6
    BUILDERS = 3            # of a colour
    WORKERS = 12            # of a player; black and grey workers are extra
    CUBES = 23              # of sand, of wood and of stone
    METAL_CUBES = 13
    FIRST_VP = 2
    FIRST_GOLD = 20         # of the starting player; each later player has one more
    MAX_GOLD = 30
    MAX_COST = 7            # of the cost marker at the start of a round
    KEPT_CUBES = 5          # after the cathedral step
    CRAFTSMEN_HELD = 5      # without the card that raises the limit
    GREY_LENT = 2           # by the castle, to one player
    SAND_PRICE = 2          # gold for buying or selling one
    WOOD_PRICE = 3
    STONE_PRICE = 4
    METAL_PRICE = 5         # for selling; metal cannot be bought
    STOCK = 4               # of each type on the market after a refill
    LOWEST_ROLL = 2         # of the tax die
    ROLLS = 4               # 2 to 5
    LOCATIONS = 10          # where a builder can be placed
    MOST_SOLD = 40          # of sand, wood or stone in one action; more cannot be held before the market
    MOST_HELD = MOST_SOLD + STOCK
    MOST_USES = 10          # of a craftsman in one round, blessed

cpdef enum:                 # cards in catalogue order
    STARTING = NUM_STARTING_CRAFTSMEN  # the first craftsmen
    CRAFTSMEN = NUM_STARTING_CRAFTSMEN + NUM_CRAFTSMEN
    OF_ROUND = 4            # craftsmen, at least
    RESOURCES = NUM_RESOURCE_CARDS
    PAIRS = RESOURCES * (RESOURCES - 1) >> 1  # of them
    ADVANTAGES = NUM_ADVANTAGE_CARDS
    ORDINARY = ADVANTAGES - 2  # the last two are of the last round
    EVENTS = NUM_EVENT_CARDS

cpdef enum:                 # decks, without the removed cards
    ADVANTAGE_DECK = 2 * ROUNDS
    ORDINARY_DECK = ADVANTAGE_DECK - 2  # the first of them
    EVENT_DECK = ROUNDS
    CRAFTSMAN_DECK = NUM_CRAFTSMEN

# cython: language_level=3
"""The numbers of the rules, also visible in Python."""

cpdef enum:
    SEATS = 4
    ROUNDS = 6
    BUILDERS = 3            # of a colour
    WORKERS = 12            # of a player; the black worker and grey ones on top
    CUBES = 23              # of sand, of wood and of stone
    METAL_CUBES = 13
    FIRST_VP = 2
    FIRST_GOLD = 20         # of the starting player; one more for each next (2)
    MAX_GOLD = 30
    MAX_COST = 7            # the cost marker at the start of a round
    KEPT_CUBES = 5          # after the cathedral step
    CRAFTSMEN_HELD = 5      # without the card that makes room
    GREY_LENT = 2           # by the castle
    STOCK = 4               # of each type on the market, when it is refilled
    LOWEST_ROLL = 2         # of the tax die
    ROLLS = 4               # 2 to 5
    LOCATIONS = 10          # that a builder can be sent to
    MOST_SOLD = 40          # of sand, wood or stone in one action
    MOST_USES = 10          # of a craftsman in one round, blessed

# cython: language_level=3
"""The first code of each kind of action, also visible in Python; actions.py has the texts."""

cpdef enum:
    TURN_UP_ADVANTAGE = 0    # + card
    TURN_UP_CRAFTSMAN = 16   # + card - STARTING
    LEAVE_OUT = 40           # + pair of resource cards, in the order (0, 1) (0, 2) .. (7, 8)
    DRAW = 76                # + seat
    TURN_UP_EVENT = 80       # + card
    ROLL = 90                # + pips - LOWEST_ROLL
    TAKE = 94                # + resource card
    HIRE = 103               # + craftsman - STARTING
    PASS = 127
    DISMISS = 128            # + craftsman
    REDRAW = 155
    ACCEPT = 156
    PLACE = 157              # + 10 * seat + location
    WAIT = 197               # + seat
    USE_REMIGIUS = 201
    USE_THOMAS = 202
    USE_EXEMPTION = 203
    SAVE_THOMAS = 204
    SAVE_EXEMPTION = 205
    PROTECT = 206
    DECLINE = 207
    GAIN = 208               # + type
    DISCARD = 211            # + type
    BUY = 215                # + STOCK * type + cubes - 1
    SELL = 227               # + MOST_SOLD * type + cubes - 1
    LEAVE = 360
    CONVERT = 361            # + MOST_USES * craftsman + times - 1
    FINISH = 631
    NUM_ACTIONS = 632

cdef enum:
    PAIRS = 36

# cython: language_level=3
"""The first code of each kind of action, also visible in Python; actions.py has the texts."""
from clerestory.engine.cathedral.data.constants cimport *

cpdef enum:
    TURN_UP_ADVANTAGE = 0                               # + card
    TURN_UP_CRAFTSMAN = TURN_UP_ADVANTAGE + ADVANTAGES  # + card - STARTING
    LEAVE_OUT = TURN_UP_CRAFTSMAN + CRAFTSMAN_DECK      # + pair of resource cards, in the order (0, 1) (0, 2) .. (7, 8)
    DRAW = LEAVE_OUT + PAIRS                            # + seat
    TURN_UP_EVENT = DRAW + SEATS                        # + card
    ROLL = TURN_UP_EVENT + EVENTS                       # + pips - LOWEST_ROLL
    TAKE = ROLL + ROLLS                                 # + resource card
    HIRE = TAKE + RESOURCES                             # + craftsman - STARTING
    PASS = HIRE + CRAFTSMAN_DECK
    DISMISS = PASS + 1                                  # + craftsman
    REDRAW = DISMISS + CRAFTSMEN
    ACCEPT = REDRAW + 1
    PLACE = ACCEPT + 1                                  # + LOCATIONS * seat + location
    WAIT = PLACE + LOCATIONS * SEATS                    # + seat
    USE_REMIGIUS = WAIT + SEATS
    USE_THOMAS = USE_REMIGIUS + 1
    USE_EXEMPTION = USE_THOMAS + 1
    SAVE_THOMAS = USE_EXEMPTION + 1
    SAVE_EXEMPTION = SAVE_THOMAS + 1
    PROTECT = SAVE_EXEMPTION + 1
    DECLINE = PROTECT + 1
    GAIN = DECLINE + 1                                  # + type, except metal
    DISCARD = GAIN + 3                                  # + type
    BUY = DISCARD + 4                                   # + STOCK * type + cubes - 1
    SELL = BUY + 3 * STOCK                              # + MOST_SOLD * type + cubes - 1
    LEAVE = SELL + 3 * MOST_SOLD + METAL_CUBES
    CONVERT = LEAVE + 1                                 # + MOST_USES * craftsman + times - 1
    FINISH = CONVERT + MOST_USES * CRAFTSMEN
    NUM_ACTIONS = FINISH + 1

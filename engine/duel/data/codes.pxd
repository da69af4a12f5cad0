# cython: language_level=3
"""The first code of each kind of action, also visible in Python; actions.py has the texts."""

cpdef enum:
    FACE = 0        # + 0-5
    DRAW = 6        # + seal
    CLAIM = 9       # + line
    TAKE_BACK = 17  # + place
    FLIP = 26       # + seal, or PERSONAL
    STOP = 30
    KEEP = 31       # + seal
    PASS = 34
    BUILD = 35      # + LOTS * section + lot of materials
    END = 173
    DONE = 174
    BUY_SEAL = 175
    CONVERT = 176   # + first_of_kind + chips - 1
    BUY = 187       # + kind
    SELL = 192      # + wool - 1
    TAKE = 196      # + kind, except ore
    PAY = 200       # + NO_ORE * seal + kind
    PLACE = 212     # + (NO_ORE * section + kind) * SEALS + seal
    RETURN = 248    # + KINDS * section + kind
    CARDS = 263     # + 2 * card to deal it; one more to use or play it

cpdef enum:
    LINES = 8
    LOTS = 46       # sets of one, two or three materials
    NO_ORE = 4      # kinds of chips except ore

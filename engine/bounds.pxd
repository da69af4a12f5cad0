# cython: language_level=3
"""The limits that apply to every game."""

cdef enum:
    MAX_SEATS = 4
    MAX_WORDS = 64              # of a state, 8 bytes each
    MAX_BYTES = 8 * MAX_WORDS
    MAX_LEGAL = 128             # actions of one decision, outcomes of one chance event
    MAX_FEATURES = 64           # of a guide

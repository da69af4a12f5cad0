# cython: language_level=3
"""The constants of constants.pxd, for Python."""


def counts_in(word, kinds):
    """Return the counts in a word of 4 bits per kind."""
    return tuple([word >> 4 * kind & 15 for kind in range(kinds)])

# cython: language_level=3
"""The kinds of effects.pxd, for Python."""

# cython: language_level=3
"""The constants of constants.pxd, for Python."""

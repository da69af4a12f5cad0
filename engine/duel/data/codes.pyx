# cython: language_level=3
"""The constants of codes.pxd, for Python."""

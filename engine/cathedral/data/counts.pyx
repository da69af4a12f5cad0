# cython: language_level=3
"""The constants of counts.pxd, for Python."""

# cython: language_level=3
"""The tables of effect_rules.pxd, filled by effects.pyx."""

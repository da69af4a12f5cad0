# cython: language_level=3
"""The tables of effect_rules.pxd, which effects.pyx fills."""

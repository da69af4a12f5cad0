"""An AI opponent and analyst for the board game The Pillars of the Earth and for Builders Duel."""

__version__ = "0.1.0"

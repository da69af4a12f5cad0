"""An AI opponent and analysis engine for the board games The Pillars of the Earth and Builders Duel."""

__version__ = "0.1.0"

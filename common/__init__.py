"""An AI opponent and analysis engine for the games The Pillars of the Earth and Builders Duel."""

__version__ = "1.0.0"

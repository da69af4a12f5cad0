"""Positions as readable fields: their declaration, the kinds of their values, and the checks of what is read."""

"""The colours of seats: their names in positions and actions, by seat, and their display colours."""

DRAWN = {"red": "#d55e00", "blue": "#0072b2", "green": "#009e73", "yellow": "#f0e442"}  # Okabe and Ito
COLOURS = tuple(DRAWN)

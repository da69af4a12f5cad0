"""The games with the shipped cards, as used by every test."""

from clerestory.engine import game

CATHEDRAL = game("cathedral")
DUEL = game("duel")

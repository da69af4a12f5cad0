"""The games as every test means them: with the shipped cards."""

from clerestory.engine import game

CATHEDRAL = game("cathedral")
DUEL = game("duel")

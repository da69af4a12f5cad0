"""The games with the shipped cards, as used by every test."""

from clerestory.engine import GAMES, game

CATHEDRAL = game("cathedral")
DUEL = game("duel")
CASES = [(name, seats) for name, game in GAMES.items() for seats in game.seats]

"""The names of the games, for who needs no more of them."""

NAMES = ("cathedral", "duel", "toy")

"""The names of the games, for callers that need nothing else."""

NAMES = ("cathedral", "duel", "toy")

"""Hosted games: pure game logic in `log`, `kept` and `course`; the other modules store, run and show the games."""

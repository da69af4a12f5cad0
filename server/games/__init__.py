"""Hosted games: pure game logic in `log`, `hosted` and `course`; the other modules store, run and show the games."""

"""Hosted games: pure game logic in `log`, `hosted` and `commands`; the other modules store, run and show the games."""

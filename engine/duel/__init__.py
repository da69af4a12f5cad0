"""Builders Duel, 2 players: RULES.md specifies our reading of the rules, catalogue.toml the cards."""

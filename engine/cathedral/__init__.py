"""The board game, 2 to 4 players: RULES.md specifies our reading of the rules, catalogue.toml the cards."""

"""The board game, 2 to 4 players: RULES.md says how the code reads the rules, catalogue.toml what the cards say."""

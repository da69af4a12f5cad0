"""Builders Duel, 2 players: RULES.md says how the code reads the rules, catalogue.toml what the cards say."""

"""Measures what play between equals says about the games: seats, luck, cards, maxims (docs/strategy.md)."""

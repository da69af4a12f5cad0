"""The arena: named bots, matches between them, statistics of results, and tuning; independent of any game."""

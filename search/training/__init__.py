"""Learning a value by self-play: games of a search against itself, a fit to them, and gating matches."""

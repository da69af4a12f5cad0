"""What the rules of `duel` work on: its cards, its action codes, and the fields of a position."""

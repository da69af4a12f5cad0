"""What the rules of `cathedral` work on: its cards, its action codes, and the fields of a position."""

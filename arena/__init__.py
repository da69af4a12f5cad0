"""The arena: bots by name, matches of them, what the results say, and options tuned by them; knows no card."""

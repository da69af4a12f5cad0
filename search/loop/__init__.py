"""The loop of a search, without Python: one iteration, its statistics and proofs, and running until a limit."""

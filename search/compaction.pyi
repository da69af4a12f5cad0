"""Room in a tree that goes on from a later root."""

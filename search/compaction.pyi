"""Compaction of a tree that continues from a later root."""

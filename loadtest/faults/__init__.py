"""Soaks: servers and databases that fail in every way, and callers that check everything they receive."""

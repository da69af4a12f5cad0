"""Helpers that the rules of several games share: bit masks, hashes, steps, addresses of fields, colours of seats."""

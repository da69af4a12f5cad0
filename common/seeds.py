"""Draws random seeds."""

import secrets

SEED_BITS = 53  # JSON readers keep integers of this size exact


def random_seed() -> int:
    """Return a random seed, 0 to 2**SEED_BITS - 1."""
    return secrets.randbits(SEED_BITS)

"""The command `clerestory`, which puts everything together."""

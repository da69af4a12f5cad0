"""The command `clerestory`, where everything comes together."""

"""The command `clerestory`: the one place that may import everything."""

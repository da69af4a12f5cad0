"""Values of positions: nets, their files of weights, and finding a value by its name."""

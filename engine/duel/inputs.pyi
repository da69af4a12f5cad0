INPUT_NAMES: tuple[tuple[str, ...], tuple[str, ...]]

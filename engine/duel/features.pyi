FEATURE_NAMES: tuple[tuple[str, ...], tuple[str, ...]]

TERM_NAMES: tuple[str, ...]

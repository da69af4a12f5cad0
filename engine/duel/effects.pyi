KINDS_BY_NAME: dict[str, int]

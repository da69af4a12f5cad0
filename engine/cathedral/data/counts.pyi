def __getattr__(name: str) -> int: ...  # the constants of counts.pxd

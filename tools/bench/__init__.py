"""Measures the engine, the search and the service, for `clerestory bench`; nothing else of the package needs it."""

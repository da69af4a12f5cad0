"""Measures the engine, the search and the service for `clerestory bench`; unused by the rest of the package."""

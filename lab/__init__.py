"""The laboratory: what measures the engine, the search and the service. Nothing else of the package needs it."""

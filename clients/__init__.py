"""The Python client: it needs the stubs of the API and nothing else of the package."""

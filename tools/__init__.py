"""Tools for people who work on the engine; each module says how to run it."""

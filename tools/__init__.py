"""Tools for those who work on the engine; each module says how it is run."""

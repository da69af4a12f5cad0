"""Only for other compiled modules: see iteration.pxd."""

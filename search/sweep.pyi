"""Only for other compiled modules: see sweep.pxd."""

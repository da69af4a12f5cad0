"""Only for other compiled modules: see pack.pxd."""

"""Only for other compiled modules: see uses.pxd."""

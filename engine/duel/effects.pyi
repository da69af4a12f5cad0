"""Only for other compiled modules: see effects.pxd."""

"""Only for other compiled modules: see encoding.pxd."""

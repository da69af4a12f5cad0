"""Only for other compiled modules: see guide.pxd."""

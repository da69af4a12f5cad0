"""Only for other compiled modules: see entering.pxd."""

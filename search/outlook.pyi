"""Only for other compiled modules: see outlook.pxd."""

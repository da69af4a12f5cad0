"""Only for other compiled modules: see sharing.pxd."""

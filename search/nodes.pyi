"""Only for other compiled modules: see nodes.pxd."""

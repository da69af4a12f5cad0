"""Only for other compiled modules: see playout.pxd."""

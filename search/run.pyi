"""Only for other compiled modules: see run.pxd."""

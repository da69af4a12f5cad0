"""Only for other compiled modules: see proof.pxd."""

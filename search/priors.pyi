"""Only for other compiled modules: see priors.pxd."""

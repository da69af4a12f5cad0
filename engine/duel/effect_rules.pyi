"""Only for other compiled modules: see effect_rules.pxd."""

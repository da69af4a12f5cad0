"""Only for other compiled modules: see room.pxd."""

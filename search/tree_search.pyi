"""Only for other compiled modules: see tree_search.pxd."""

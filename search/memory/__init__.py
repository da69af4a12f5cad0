"""The memory of a search tree: its nodes in pages, room for new ones, and removal of those that matter least."""

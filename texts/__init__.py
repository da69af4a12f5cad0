"""What people read: words and texts as data, in every language, and reading them."""

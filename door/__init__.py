"""The door for browsers: the page, and the service over the Connect protocol, at one address."""

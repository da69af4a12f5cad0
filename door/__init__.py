"""The door for browsers: the page, and the service by the Connect protocol, on one address."""

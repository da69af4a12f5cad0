"""The service: a server from its start to its shutdown, with its settings, logs and traces."""

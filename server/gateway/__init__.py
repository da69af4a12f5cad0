"""The gateway for browsers: serves the web page and the gRPC API over the Connect protocol at one address."""

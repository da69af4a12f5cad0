"""The service: admission, time, errors, and a fixed pool of searching threads behind gRPC."""

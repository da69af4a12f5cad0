"""The gRPC service: handlers, translation between messages and domain types, and limits on calls."""

"""The service on the wire: handlers, translation between messages and the application, and limits on calls."""

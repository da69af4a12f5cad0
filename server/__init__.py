"""The service: admission, time, translation between the wire and the rules."""

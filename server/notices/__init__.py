"""Delivers notices of turns to the operator's webhook and to the targets of seats: webhooks and browsers."""

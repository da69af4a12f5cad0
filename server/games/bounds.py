"""Limits that every store of games observes: locations, timeouts, and batch sizes."""

MEMORY, USER = "memory:", "user:"  # stores in memory only, and in the user's data folder
ANSWER = 10.0  # timeout of a store in seconds; after it the operation counts as failed
LOOKED_AT = 20_000  # games with a person, longest due first, among which makers take turns
MAKERS = 10_000  # maximum makers of games of bots only visited in one scan
MIGRATING = 600.0  # timeout in seconds for creating, migrating or surveying the tables of a database
CLOSING = 5.0  # timeout in seconds for closing a store
DELETED_BYTES = 2_000_000  # approximate size of games deleted in one transaction, which blocks other work
MOST_REVIEWS = 12  # reviews stored for a game, one per setting; a sketch counts as one
MOST_TARGETS = 4  # targets of notices stored for a seat
ENTRY_BYTES = 64  # size of an entry in a store, in addition to its text
LITTLE = 1 << 20  # free bytes below which a disk counts as full

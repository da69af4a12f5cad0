"""What every store of games keeps to: where it may be, how long it may take, and how much it does or keeps at once."""

MEMORY, USER = "memory:", "user:"  # stores of games: in memory only, and in the user's data folder
ANSWER = 10.0  # seconds that a store may take to answer; longer means that it failed
LOOKED_AT = 20_000  # games with a person, those longest due, among which each maker has its turn
MAKERS = 10_000  # of games of bots only, whom one look visits at most
MIGRATING = 600.0  # seconds that making, migrating or surveying the tables of a database may take
CLOSING = 5.0  # seconds that a store may take to close
DELETED_BYTES = 2_000_000  # of games deleted at once, about: nothing else is done meanwhile
MOST_REVIEWS = 12  # of a game: one for each setting; a sketch counts as one
ENTRY_BYTES = 64  # of an entry in a store, besides its text
LITTLE = 1 << 20  # bytes free on a disk that are as good as none

"""Errors in what an arena is given."""

from clerestory.search.errors import SearchError


class BadBot(SearchError):
    """There is no bot of that name, or it lacks an option or does not understand its value; the message names it."""


class BadMatch(SearchError):
    """A match cannot be played as described, or a file of results is not that of the match."""

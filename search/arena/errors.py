"""Errors in the input of an arena."""

from clerestory.search.errors import SearchError


class BadBot(SearchError):
    """The bot does not exist, or an option is unknown or has an invalid value; the message names it."""


class BadMatch(SearchError):
    """A match cannot be played as described, or a results file belongs to another match."""

"""Game reviews: a ledger of win shares that adds up, and figures on decisions and luck."""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)

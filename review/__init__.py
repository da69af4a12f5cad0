"""Review of a game: a ledger of win shares that adds up, and what is said of its decisions and of its luck."""

from clerestory.review.annotate import annotate
from clerestory.review.annotation import Annotation
from clerestory.review.ledger import UNIT, Account, Valuation
from clerestory.review.plan import Plan

__all__ = ["UNIT", "Account", "Annotation", "Plan", "Valuation", "annotate"]

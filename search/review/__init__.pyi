"""Game reviews: a ledger of win shares that adds up, and figures on decisions and luck."""

from clerestory.search.review.annotating import annotate
from clerestory.search.review.annotation import Annotation
from clerestory.search.review.ledger import UNIT, Account, PlyValuation
from clerestory.search.review.plan import ReviewPlan

__all__ = ["UNIT", "Account", "Annotation", "PlyValuation", "ReviewPlan", "annotate"]

"""Game reviews: a ledger of win shares that adds up, and figures on decisions and luck."""

from clerestory.review.annotating import annotate
from clerestory.review.annotation import Annotation
from clerestory.review.ledger import UNIT, Account, PlyValuation
from clerestory.review.plan import ReviewPlan

__all__ = ["UNIT", "Account", "Annotation", "PlyValuation", "ReviewPlan", "annotate"]

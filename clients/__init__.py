"""Asking a server for advice: `Advisor(target).recommend(position, time="500ms")`."""

from clerestory.clients.advisor import Advisor
from clerestory.clients.errors import (
    AdvisorError,
    BadRequest,
    Busy,
    FieldViolation,
    NotNow,
    OutOfTime,
    Unavailable,
)
from clerestory.clients.types import Action, Line, Recommendation

__all__ = [
    "Action",
    "Advisor",
    "AdvisorError",
    "BadRequest",
    "Busy",
    "FieldViolation",
    "Line",
    "NotNow",
    "OutOfTime",
    "Recommendation",
    "Unavailable",
]

"""Asking a server for advice: `Advisor(target).recommend(position, time="500ms")`."""

from clerestory.clients.advisor import Advisor, Analysis
from clerestory.clients.aio import AsyncAdvisor, AsyncAnalysis
from clerestory.clients.connection import Tls
from clerestory.clients.errors import (
    AdvisorError,
    BadConnection,
    BadRequest,
    Busy,
    Denied,
    FieldViolation,
    NotNow,
    OutOfTime,
    Unavailable,
    Unsupported,
)
from clerestory.clients.types import Action, Line, Outlook, Recommendation, Update, Warned

__all__ = [
    "Action",
    "Advisor",
    "AdvisorError",
    "Analysis",
    "AsyncAdvisor",
    "AsyncAnalysis",
    "BadConnection",
    "BadRequest",
    "Busy",
    "Denied",
    "FieldViolation",
    "Line",
    "NotNow",
    "OutOfTime",
    "Outlook",
    "Recommendation",
    "Tls",
    "Unavailable",
    "Unsupported",
    "Update",
    "Warned",
]

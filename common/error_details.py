"""Completes service errors for clients with the ErrorInfo domain and messages for users."""

from clerestory.i18n import say
from clerestory.i18n.languages import ENGLISH
from clerestory.service_errors import Reason

DOMAIN = "clerestory"  # the domain of our ErrorInfo reasons
# For these reasons users see the exact fault, because it is in their input or has several causes.
EXACTLY = {
    Reason.BAD_POSITION,
    Reason.BAD_RECORD,
    Reason.BAD_OPTIONS,
    Reason.BAD_ACTION,
    Reason.ILLEGAL_ACTION,
    Reason.TAKE_BACK_REFUSED,
}


def words_for_users(reason: Reason, english: str, language: str) -> str:
    """Return the message for the user of a client: the meaning of the reason, and in English any helpful details.

    Args:
        reason: the reason of the service error.
        english: the fault, for developers.
        language: the user's language, one of LANGUAGES.
    """
    exactly = f" ({english})" if language == ENGLISH and reason in EXACTLY else ""
    return say("errors", reason, language=language) + exactly

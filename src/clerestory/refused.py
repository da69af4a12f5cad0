"""What whoever is refused is told besides the fields to blame: whose reasons these are, and words for users."""

from clerestory.refusals import Reason
from clerestory.texts import say
from clerestory.texts.languages import ENGLISH

DOMAIN = "clerestory"  # of the reasons of an ErrorInfo
# Reasons of which a user is told what exactly is wrong: it is in what they gave, or there are several causes.
EXACTLY = {
    Reason.BAD_POSITION,
    Reason.BAD_RECORD,
    Reason.BAD_OPTIONS,
    Reason.BAD_ACTION,
    Reason.ILLEGAL_ACTION,
    Reason.TAKE_BACK_REFUSED,
}


def words_for_users(reason: Reason, english: str, language: str) -> str:
    """Return what to tell the user of a client: what the reason means, in English also the details that help.

    Args:
        reason: of the refusal.
        english: what is wrong, for developers.
        language: of the user, one of LANGUAGES.
    """
    exactly = f" ({english})" if language == ENGLISH and reason in EXACTLY else ""
    return say("errors", reason, language=language) + exactly

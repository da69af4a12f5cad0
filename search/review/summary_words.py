"""A summary of many games as text, for the terminal, the service and HTML."""

from clerestory.i18n import say
from clerestory.i18n.glossary import word
from clerestory.i18n.languages import number
from clerestory.search.review.groups import ErrorPattern
from clerestory.search.review.ledger import UNIT
from clerestory.search.review.summary import Estimate, GroupSummary, Summary, part_rounds
from clerestory.search.review.words import REVIEW

COLUMNS = ("games", "decisions", "loss", "accuracy", "points")  # of a table of groups


def tell(language: str, key: str, /, **arguments: object) -> str:
    """Return a text about a summary."""
    return say(REVIEW, f"summary.{key}", language=language, **arguments)


def group_name(game: str, group: GroupSummary, language: str) -> str:
    """Return the name of a group of decisions."""
    if group.name == "all":
        return tell(language, "all")
    if group.name.isdecimal():
        first, last = part_rounds(game, int(group.name))
        return tell(language, "part", first=first, last=last)
    return say("learn", f"theme.{game}.{group.name}", language=language)


def action_name(game: str, verb: str, language: str) -> str:
    """Return the name of a sort of action."""
    found = word(game, f"action.{verb}", language)
    return found.text if found else verb


def habit_sentence(summary: Summary, habit: ErrorPattern, language: str) -> str:
    """Return a sentence on a habit of a summary."""
    cost = number(100 * habit.loss / UNIT / len(summary.games), language, 1)
    played, best = (action_name(summary.game, verb, language) for verb in (habit.played, habit.best))
    key = "habit.same" if habit.played == habit.best else "habit.other"
    return tell(language, key, count=habit.errors, cost=cost, played=played, best=best)


def estimate(found: Estimate, language: str, scale: float = 1.0) -> str:
    """Return a scaled estimate with its interval, with one decimal."""
    mean = number(scale * found.mean, language, 1)
    if found.low is None or found.high is None:
        return mean
    low, high = (number(scale * end, language, 1) for end in (found.low, found.high))
    return tell(language, "estimate", mean=mean, low=low, high=high)


def cells(group: GroupSummary, language: str) -> list[str]:
    """Return the figures of a group, one for each of COLUMNS."""
    figures = [
        estimate(group.mean_loss, language, 100),
        *(estimate(one, language) for one in (group.accuracy, group.points)),
    ]
    return [number(group.games, language), number(group.decisions, language), *figures]


def level_sentence(summary: Summary, language: str) -> str:
    """Return a sentence on the level of play; "" if no game has one."""
    if summary.level is None or summary.latest is None:
        return ""
    level, latest = (estimate(one, language) for one in (summary.level, summary.latest))
    return tell(language, "level", level=level, latest=latest)


def groups(summary: Summary, language: str) -> list[tuple[str, list[GroupSummary]]]:
    """Return the tables of a summary: heading and rows."""
    overall = [summary.overall] if summary.overall else []
    tables = [("parts", [*overall, *summary.parts]), ("kinds", list(summary.kinds))]
    return [(tell(language, key), rows) for key, rows in tables if rows]

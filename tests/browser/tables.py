"""Tables of hints that a test changes or creates, so that results do not depend on the progress of a search."""

from collections.abc import Callable, MutableSequence

from playwright.sync_api import Page, Route

from clerestory.v1.advisor_pb2 import Action, AnalyzeResponse, Line, RecommendMoveResponse, Text

ANALYZE = "**/clerestory.v1.AdvisorService/Analyze"
LAST = 2  # flag of the envelope that ends a Connect stream
STREAM = "application/connect+proto"
Lines = MutableSequence[Line]


def enveloped(data: bytes, flags: int = 0) -> bytes:
    """Return a message or the end of a Connect stream in an envelope."""
    return bytes([flags]) + len(data).to_bytes(4) + data


def change_tables(page: Page, change: Callable[[Lines], None]) -> None:
    """Change the lines of every table of hints before it reaches the page."""

    def answer(route: Route) -> None:
        rest, changed = route.fetch().body(), b""
        while rest:
            flags, size = rest[0], int.from_bytes(rest[1:5])
            data, rest = rest[5 : 5 + size], rest[5 + size :]
            if not flags & LAST:
                table = AnalyzeResponse.FromString(data)
                if table.recommendation.lines:
                    change(table.recommendation.lines)
                data = table.SerializeToString()
            changed += enveloped(data, flags)
        route.fulfill(content_type=STREAM, body=changed)

    page.route(ANALYZE, answer)


def give_tables(page: Page, *tables: dict[str, list[float]], reason: str = "", lead: float = 0) -> None:
    """Answer searches with one table each, and all later ones with the last: for each action, each seat's win share.

    Each gives a reason for its first action, after the sentence that compares it, and a lead in points over the others.
    """
    left, reasons = list(tables), [Text(text="It is better."), Text(text=reason)] if reason else []

    def answer(route: Route) -> None:
        lines = [
            Line(action=Action(text=text), visits=1000, win_shares=wins, standard_errors=[0.001] * len(wins))
            for text, wins in (left.pop(0) if len(left) > 1 else left[0]).items()
        ]
        lines[0].margin = lead
        table = AnalyzeResponse(recommendation=RecommendMoveResponse(lines=lines, reasons=reasons))
        body = enveloped(table.SerializeToString()) + enveloped(b"{}", LAST)
        route.fulfill(content_type=STREAM, body=body)

    page.route(ANALYZE, answer)

"""A summary as one HTML file."""

from html.parser import HTMLParser

from clerestory.search.review.summary import summarize
from clerestory.search.review.summary_report import summary_page
from tests.search.review.test_summary import game

GAMES = [game(100_000, 300_000, level=3, errors=1), game(50_000, level=5, errors=1)]


class Reader(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)


def page(games: list[object], who: str = "red") -> str:
    return summary_page(summarize("cathedral", games), who, "The Pillars", "en")  # type: ignore[arg-type]


def test_it_has_tables_habits_and_the_level_of_each_game() -> None:
    reader, text = Reader(), page([*GAMES])
    reader.feed(text)
    assert (reader.tags.count("table"), reader.tags.count("circle"), reader.tags.count("li")) == (2, 2, 1)
    assert "red in 2 games of The Pillars" in text
    assert "src=" not in text
    assert "href=" not in text


def test_names_are_escaped() -> None:
    assert "<b>" not in page([*GAMES], "<b>")


def test_few_games_have_no_drawing_and_no_habits() -> None:
    text = page(GAMES[:1])
    assert "<svg" not in text
    assert "made twice" in text


def test_it_is_read_from_right_to_left_in_hebrew() -> None:
    assert 'dir="rtl"' in summary_page(summarize("cathedral", GAMES), "red", "x", "he")

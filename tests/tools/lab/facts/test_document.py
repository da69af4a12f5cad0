"""The document of facts: its tables are the stored figures."""

import tomllib

from tests.test_links import ROOT
from tools.lab.facts.document import DOCUMENT, MAXIMS, PAGE_MODULE, filled, page_module, read_found

FOUND = {
    "facts": {
        "seats win": {"2 players": {"seat 0": [52.34, 50.0, 54.0, 9]}, "card game": {"seat 0": [60.0, 50.0, 70.0, 9]}},
        "passing points": {"2 players": {"at 7": [0.126, 0.1, 0.2, 9]}, "3 players": {"at 6": [1.0, 0.5, 1.5, 9]}},
    }
}


def test_tables_follow_their_comments_and_a_missing_figure_is_an_empty_cell() -> None:
    text = "Words.\n\n<!-- facts: passing points 2 -->\n\n| old |\n| -- |\n\nMore words.\n"
    table = "|  | 2 players |\n| -- | -- |\n| at 7 | 0.1 [0.1, 0.2] |\n"
    assert filled(text, FOUND) == f"Words.\n\n<!-- facts: passing points 2 -->\n\n{table}\nMore words.\n"
    found = filled("<!-- facts: passing points -->\n\n", FOUND)
    assert "| at 6 |  | 1.0 [0.5, 1.5] |" in found


def test_every_maxim_has_a_verdict_and_a_measured_fact() -> None:
    found = read_found()["facts"]
    for maxim in tomllib.loads(MAXIMS.read_text("utf-8"))["maxim"]:
        assert maxim["verdict"]
        for name, item in (reference.split(": ") for reference in maxim["facts"]):
            assert any(item in items for items in found[name].values()), item


def test_the_figures_of_the_document_are_those_that_were_measured() -> None:
    text = (ROOT / DOCUMENT).read_text("utf-8")
    assert filled(text, read_found()) == text
    assert text.count("<!-- facts:") >= 10
    assert (ROOT / PAGE_MODULE).read_text("utf-8") == page_module(read_found()["facts"])

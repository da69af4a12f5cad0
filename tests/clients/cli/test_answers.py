"""The display of an answer: the line to play is marked, and the words agree with the figures."""

import re
from dataclasses import replace
from functools import cache
from io import StringIO

import pytest
from rich.console import Console

from clerestory.cli.answers import answer_view, remarks
from clerestory.cli.local_advisor import LocalAdvisor
from clerestory.clients import Rate, Recommendation
from clerestory.engine import from_position
from clerestory.server.rpc.locale import LOCALE
from tests.clients.cli.command import POSITIONS

STATE = from_position((POSITIONS / "cathedral-3p-round4-draft.json").read_text())


@cache
def searched() -> Recommendation:
    with LocalAdvisor(1) as here:
        return here.recommend(STATE, iterations=2000, seed=1)


def answer_with(first: float, second: float, share: float = 0.5) -> Recommendation:
    """Return the answer of a decided search with other margins, and another win share of the second line."""
    answer = searched()
    margins = [first, second, *[first - 5.0] * (len(answer.lines) - 2)]
    shares = [0.5, share, *[0.4] * (len(answer.lines) - 2)]
    lines = (
        replace(line, margin=at, loss=first - at, win_shares=(one,) * STATE.seats)
        for line, at, one in zip(answer.lines, margins, shares, strict=True)
    )
    return replace(answer, raw=answer.message, stop_reason="decided", lines=tuple(lines))


def shown(answer: Recommendation, width: int = 100) -> str:
    console = Console(file=StringIO(), width=width, color_system=None)
    console.print(answer_view(answer, STATE, width))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_line_with_a_higher_margin_than_the_first_is_explained() -> None:
    """The line to play is marked; the columns are explained."""
    answer = answer_with(3.0, 4.2)
    text = re.sub(r"\s+", " ", shown(answer))
    second = answer.lines[1].action.text
    assert answer.best == answer.lines[0].action
    assert f": {answer.lines[0].action.text} (" in text
    assert re.search(rf"│ {re.escape(second)} │[^│]*│[^│]*│ \+4\.2 │ -1\.2 │", text)
    assert f"{second} has a higher margin so far than the best move, but was searched less" in text
    assert "stopped early: the best move can no longer change" in text
    assert "? was tried too seldom to compare it." in text


def test_rates_are_a_table_with_gaps_where_there_are_none() -> None:
    answer, rates = searched(), (Rate("gold", "gold", -1, 0.0123, 0.002, 0.4, 0.05), Rate("wood", "wood", 0))
    text = shown(replace(answer, raw=answer.message, rates=rates))
    assert re.search(r"│ gold │ +\+1\.23 ±0\.20 │ +\+0\.40 ±0\.05 │\n│ wood │ +│ +│", text)
    assert "Worth of one more of each good now" in text
    assert "Worth of one more" not in shown(answer)


def test_lines_are_in_the_order_of_the_service() -> None:
    """Also where a line after the first has a higher share, which may be by chance."""
    answer = answer_with(3.0, 4.2, share=0.6)
    lines = tuple(replace(line, doubtful=place > 2) for place, line in enumerate(answer.lines))
    table = shown(replace(answer, raw=answer.message, lines=lines), 160)
    rows = re.findall(r"│ ([>? ]) │ ([^│]*[^│ ]) +│", table)  # a long label continues in a row without a name
    assert [text for _, text in rows] == [line.action.text for line in lines]
    assert [mark for mark, _ in rows] == [">", " ", " "] + ["?"] * (len(rows) - 3)


def test_a_line_with_more_points_that_wins_less_is_explained_and_nothing_else() -> None:
    answer = answer_with(3.0, 4.2, share=0.45)
    text = re.sub(r"\s+", " ", shown(answer))
    assert f"{answer.lines[1].action.text} has a higher margin than the best move, but a lower chance of" in text
    assert "higher margin so far" not in text
    for second in (3.0, 3.04, -1.0):
        assert "has a higher margin" not in shown(answer_with(3.0, second))


@pytest.mark.parametrize(
    ("language", "certainty", "says"),
    [
        ("en", 1.0, "same move in over 99% of cases."),
        ("es", 1.0, "jugarían la misma variante: más del 99"),
        ("es", 0.8, "jugarían la misma variante: 80"),
        ("it", 1.0, "giocherebbero la stessa variante: oltre il 99%."),
        ("it", 0.8, "giocherebbero la stessa variante: 80%."),
    ],
)
def test_a_share_of_longer_searches_fits_its_sentence(language: str, certainty: float, says: str) -> None:
    LOCALE.set(language)
    answer = answer_with(3.0, 2.0)
    assert says in " ".join(remarks(replace(answer, raw=answer.message, certainty=certainty), STATE))


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", "1 iteration in 2.000 s, time limit reached; 1 position, 1 decision deep; seed 7"),
        ("it", "1 prova in 2,000 s, fino allo scadere del tempo; 1 posizione, 1 decisione in profondità; seme 7"),
        ("he", "ניסיון אחד ב־2.000 שנ׳, עד תום הזמן; מצב אחד, עומק של החלטה אחת; זרע 7"),
    ],
)
def test_one_of_a_thing_is_one(language: str, says: str) -> None:
    LOCALE.set(language)
    answer = answer_with(3.0, 2.0)
    alone = {"iterations": 1, "nodes": 1, "depth": 1, "elapsed": 2.0, "seed": 7, "stop_reason": "time"}
    assert remarks(replace(answer, raw=answer.message, **alone), STATE)[-1] == says


@pytest.mark.parametrize(
    ("language", "says", "names"),
    [("en", "Expected then: ", ("red", "blue", "green")), ("de", "Danach wird erwartet: ", ("Rot", "Blau", "Grün"))],
)
def test_expected_moves_say_whose_they_are(language: str, says: str, names: tuple[str, ...]) -> None:
    LOCALE.set(language)
    answer = searched()
    [told] = [note for note in remarks(answer, STATE) if note.startswith(says)]
    view = STATE.observe(STATE.turn)
    wanted = []
    for action in answer.lines[0].variation[:5]:
        wanted.append(f"{names[view.turn]}: {action.label}")
        view.play(action.text)
    assert told == f"{says}{'; '.join(wanted[1:])}."

"""The positions that long searches judge: they can be reached, and every legal action there was judged."""

from typing import Any

import pytest

from tools.regret import Row, judged, loss, position_of

GAMES_JUDGED = ("cathedral", "duel")
LINES = [(game, line) for game in GAMES_JUDGED for line in judged(game)[::8]]


@pytest.mark.parametrize(("game", "line"), LINES)
def test_a_judged_position_is_reached_and_all_its_actions_were_judged(game: str, line: dict[str, Any]) -> None:
    position = position_of(game, line)
    assert position.seats == line["seats"]
    assert {action.text for action in position.legal_actions()} == set(line["lines"])


def test_the_best_line_loses_nothing_and_the_table_says_how_much_others_do() -> None:
    game, line = LINES[0]
    first = next(iter(line["lines"]))
    alone = {**line, "lines": dict.fromkeys(line["lines"], line["lines"][first])}
    assert loss(game, alone, 50) == (0, 0)
    assert Row("some", [0.0, 0.2], [0.0, 1.0]).text() == "| some | 2 | 0.1000 ± 0.1000 | 0.50 ± 0.50 |"

"""The table of opponents: each pair once, and luck taken out only where it is unknown in advance."""

from pathlib import Path

from clerestory.engine import GAMES
from tests.search.positions import decisions
from tools.lab.facts import opponents
from tools.lab.json_lines import gathered

LINES = [
    {"a": "greedy", "b": "open@9", "deal": deal, "score": score, "adjusted": 0.5}
    for deal, score in [(1, 0.0), (2, 0.5)]
] + [{"a": "greedy", "b": "ismcts:level=1", "deal": deal, "score": 0.0, "adjusted": 0.4} for deal in (1, 2)]


def test_the_luck_stays_where_a_player_foresees_it() -> None:
    assert opponents.share_against(LINES, "greedy", "ismcts:level=1").mean == 0.4
    assert opponents.share_against(LINES, "ismcts:level=1", "greedy").mean == 0.6
    assert opponents.share_against(LINES, "greedy", "open@9").mean == 0.25


def test_the_table_has_a_cell_for_each_pair_that_met() -> None:
    rows = [row.split(" | ") for row in opponents.table(LINES)]
    assert rows[0] == ["|", "`open@9`", "level 1 |"]
    assert [row[0] for row in rows[2:]] == ["| `greedy`", "| `open@9`"]
    assert [[cell.strip(" |") != "" for cell in row[1:]] for row in rows[2:]] == [[True, True], [False, False]]


def test_a_game_is_continued(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    opponents.play("cathedral", range(1), ("script-v1", "priced-v1"), file)
    first = gathered(file)
    opponents.play("cathedral", range(2), ("script-v1", "priced-v1"), file)
    assert gathered(file)[:1] == first
    assert [line["deal"] for line in gathered(file)] == [0, 1]


def test_only_the_open_player_sees_hidden_cards() -> None:
    """Positions that look the same to a seat differ for the open player alone."""
    choices: dict[str, list[int]] = {"ismcts@200it": [], "open@200": []}
    for position in decisions(GAMES["duel"], 2, 3)[:40:9]:
        view = position.observe(position.turn)
        worlds = [view.determinize(seed) for seed in range(8)]
        for name, found in choices.items():
            found.append(len({opponents.player(name)(world, 1) for world in worlds}))
    assert set(choices["ismcts@200it"]) == {1}
    assert max(choices["open@200"]) > 1

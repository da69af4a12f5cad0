"""The rules still produce the golden files, word for word."""

import pytest

from clerestory.engine import GAMES
from tests.engine.playthrough import Case, cases, folder, recorded, texts, written_game
from tests.shipped import DUEL

EVERY_CASE = [pytest.param(case, id=f"{case.game.name}-{case.name[:-1]}") for case in cases()]


@pytest.mark.parametrize("case", EVERY_CASE)
def test_nothing_has_changed_and_the_record_replays(case: Case) -> None:
    for path, text in texts(case).items():
        assert text.splitlines() == path.read_text().splitlines(), path.name
    assert (recorded(case).seed, recorded(case).state) == (case.opening, written_game(case))


def test_every_golden_file_is_of_a_game() -> None:
    found = sorted(path.name for game in GAMES.values() for path in folder(game).iterdir())
    assert found == sorted(f"{case.name}{kind}" for case in cases() for kind in Case.FILES)


def test_the_card_game_ends_in_both_ways() -> None:
    """By a third section, which wins at once, and by time, after the third round of the fourth phase."""
    completed = {}
    for case in (case for case in cases() if case.game is DUEL):
        end = written_game(case).to_position()["duel"]
        sections = [[len(player[f"section_{number}"]) for number in (1, 2, 3)] for player in end["players"]]
        completed[case.ending] = ([3, 3, 3] in sections, (end["phase"], end["round"]) == (4, 3))
    assert completed == {"": (False, True), "completed": (True, False)}

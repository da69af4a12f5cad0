"""The rules still produce the golden files, word for word."""

import pytest

from clerestory.engine import GAMES
from tests.engine.playthrough import Case, cases, folder, recorded, texts, written_game

EVERY_CASE = [pytest.param(case, id=f"{case.game.name}-{case.name[:-1]}") for case in cases()]


@pytest.mark.parametrize("case", EVERY_CASE)
def test_nothing_has_changed_and_the_record_replays(case: Case) -> None:
    for path, text in texts(case).items():
        assert text.splitlines() == path.read_text().splitlines(), path.name
    assert (recorded(case).seed, recorded(case).state) == (case.opening, written_game(case))


def test_every_golden_file_is_of_a_game() -> None:
    found = sorted(path.name for game in GAMES.values() for path in folder(game).iterdir())
    assert found == sorted(f"{case.name}{kind}" for case in cases() for kind in Case.FILES)

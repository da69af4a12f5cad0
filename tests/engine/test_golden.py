"""The rules still do, word for word, what they did when the golden files were written."""

import pytest

from clerestory.engine import GAMES, read_records
from clerestory.engine.core import Game
from tests.engine.playthrough import SEED, cases, folder, random_game, texts


@pytest.mark.parametrize(("game", "seats"), cases(), ids=lambda value: getattr(value, "name", value))
def test_nothing_has_changed(game: Game, seats: int) -> None:
    for path, text in texts(game, seats).items():
        assert text.splitlines() == path.read_text().splitlines(), path.name


@pytest.mark.parametrize(("game", "seats"), cases(), ids=lambda value: getattr(value, "name", value))
def test_golden_record_replays(game: Game, seats: int) -> None:
    (record,) = read_records((folder(game) / f"{seats}p-record.jsonl").read_text().splitlines())
    assert (record.seed, record.state) == (SEED + seats, random_game(game, seats))


def test_every_golden_file_is_of_a_game() -> None:
    expected = {path for game, seats in cases() for path in texts(game, seats)}
    assert {path for game in GAMES.values() for path in folder(game).iterdir()} == expected

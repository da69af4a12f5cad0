"""`clerestory new` and `simulate`: first positions, and games at random."""

from pathlib import Path

import pytest

from clerestory.cli.new import first_decision
from clerestory.cli.simulating import GameCounts, random_game
from clerestory.engine import GAMES, NATURE, from_position, read_records
from tests.clients.cli.command import POSITIONS, run
from tests.foretold import ALL, foretold


@pytest.mark.parametrize(("seats", "seed"), [(2, 7), (3, 5), (4, 1)])
def test_the_examples_are_new_positions(seats: int, seed: int, tmp_path: Path) -> None:
    out = tmp_path / "position.json"
    words = ["new", "--game", "toy", "--seats", seats, "--seed", seed]
    assert run(*words, "--out", out).code == 0
    assert out.read_text() == (POSITIONS / f"toy-{seats}p-round1.json").read_text()
    assert from_position(run(*words).out) == first_decision("toy", seats, seed)


def test_simulate_records_what_replay_reads(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    words = ["simulate", "--game", "toy", "--seats", 3, "--games", 5, "--seed", 9]
    summary = run(*words, "--out", out, "--json").json
    assert (summary["games"], summary["plies_per_game"]) == (5, 10)
    assert sum(summary["win_share"]) == pytest.approx(1)
    endings = run("replay", out, "--json").json_lines
    assert [ending["seed"] for ending in endings] == [9, 10, 11, 12, 13]
    means = [sum(column) / 5 for column in zip(*(ending["returns"] for ending in endings), strict=True)]
    assert means == pytest.approx(summary["win_share"])


def test_simulate_counts_decisions_choices_and_chance_events(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    arguments = ("simulate", "--game", "cathedral", "--seats", 2, "--games", 2, "--out", out, "--json")
    summary = run(*arguments).json
    met = []
    for record in read_records(out.read_text().splitlines()):
        state = record.state.origin
        for action in record.state.history:
            met.append((state.turn == NATURE, len(state.legal_codes())))
            state.play(action)
    events = sum(nature for nature, _ in met)
    assert summary["chance_events_per_game"] == events / 2
    assert summary["decisions_per_game"] == (len(met) - events) / 2
    assert summary["choices_per_game"] == sum(not nature and legal > 1 for nature, legal in met) / 2


@pytest.mark.parametrize("game", GAMES)
def test_simulate_is_reproducible(game: str) -> None:
    first, second, other = (
        run("simulate", "--game", game, "--seats", 2, "--games", 9, "--seed", seed, "--json").out for seed in (1, 1, 2)
    )
    assert first == second != other


def test_the_luck_of_simulated_games_tells_nothing_of_their_cards() -> None:
    assert foretold(random_game(GAMES["duel"], 2, seed, GameCounts()) for seed in range(300)) < ALL / 3

"""`clerestory show` and `replay`: their output and errors."""

from pathlib import Path

import pytest

from clerestory.cli.game_files import last_game, recorded
from clerestory.cli.matches import GameCounts, random_game
from clerestory.cli.positions import first_decision
from clerestory.engine import GAMES, NATURE, Record, from_position, read_records
from clerestory.engine.record import EarlyEnd
from clerestory.engine.toy.rules import TOY
from tests.clients.cli.command import POSITIONS, failed, run
from tests.foretold import ALL, foretold


def test_replay_names_the_wrong_line(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    run("simulate", "--game", "toy", "--games", 1, "--out", out)
    lines = out.read_text().splitlines()
    out.write_text("\n".join([*lines[:3], *lines[4:]]))
    done = run("replay", out)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"clerestory: {out}: line 4: ")
    assert run("play", out) == done


@pytest.mark.parametrize(("torn", "plies"), [("", 0), ('{"ply": 5, "by', 4), ('{"end": true, "pl', 4)])
def test_replay_prints_a_game_whose_writer_was_killed(torn: str, plies: int, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    run("simulate", "--game", "toy", "--games", 2, "--seed", 1, "--out", out)
    whole = out.read_text().splitlines(keepends=True)
    second = next(i for i in range(1, len(whole)) if whole[i].startswith('{"record"'))
    out.write_text("".join(whole[: second + 1 + plies]) + torn)
    done = run("replay", out)
    assert done.code == 0
    assert f"{plies} moves\nunfinished" in done.out
    shown = run("replay", out, "--json").json_lines
    assert [(one["plies"], one["returns"]) for one in shown][1:] == [(plies, None)]


@pytest.mark.parametrize(("winner", "told"), [(1, "blue wins, red resigned"), (None, "abandoned, nobody wins")])
def test_replay_says_how_players_ended_a_game(winner: int | None, told: str, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    out.write_text("\n".join(Record(GAMES["duel"].new(2, 1), 1, EarlyEnd(winner)).lines()))
    assert run("replay", out).out.endswith(f"\n{told}.\n")
    shown = run("replay", out, "--json").json
    assert (shown["outcome"], shown["returns"]) == (told, None)
    assert run("replay", out, "--json", "--language", "de").json == shown


def test_a_brief_replay_has_a_line_for_each_game(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    endings = [EarlyEnd(1), EarlyEnd(None), None]
    lines = [line for early in endings for line in Record(GAMES["duel"].new(2, 1), 1, early).lines()]
    out.write_text("\n".join(lines))
    run("simulate", "--game", "toy", "--games", 1, "--out", tmp_path / "toy.jsonl")
    game = "Builders Duel, 2 seats, seed 1, 0 moves"
    told = ["blue wins, red resigned.", "abandoned, nobody wins.", "unfinished"]
    assert run("replay", out, "--brief").out.splitlines() == [
        f"game {number}: {game}: {end}" for number, end in enumerate(told, 1)
    ]
    whole, brief = (run("replay", tmp_path / "toy.jsonl", *words).out for words in ((), ("--brief",)))
    assert brief == ": ".join(whole.splitlines()[:2]) + "\n"


@pytest.mark.parametrize("command", ["replay", "annotate"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_position_in_place_of_a_record_is_called_so(command: str, indent: int | None) -> None:
    done = run(command, "-", typed=first_decision("toy", 2, 1).to_json(indent=indent))
    assert done == failed("-: is a position, no record; `clerestory show` reads positions")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_texts_of_other_editors_are_read(encoding: str, tmp_path: Path) -> None:
    position, record, out = first_decision("toy", 2, 1), tmp_path / "record", tmp_path / "position"
    run("simulate", "--game", "toy", "--games", 1, "--seed", 1, "--out", record)
    record.write_text(record.read_text(), encoding)
    out.write_text(position.to_json(), encoding)
    assert run("show", out, "--json").json["position"] == position.to_position()
    assert run("hint", out, "--time", "20ms").code == 0
    assert last_game(str(out)).state == position
    assert [len(games) for games in ([*recorded(str(record))], [last_game(str(record))])] == [1, 1]
    assert run("replay", record).code == 0
    assert run("annotate", record, "--iterations", 50).code == 0


NO_RECORDS = {
    "no record": "is incomplete, and there is no line before it",
    "[" * 30_000 + "]" * 30_000: "is nested too deep",
    "[" * 30_000 + "]" * 30_000 + "\n": "is nested too deep",
}


@pytest.mark.parametrize(("text", "says"), NO_RECORDS.items(), ids=["text", "nested", "nested line"])
@pytest.mark.parametrize("command", ["replay", "annotate"])
def test_text_that_is_not_a_record_is_rejected(command: str, text: str, says: str, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    out.write_text(text)
    done = run(command, out)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"clerestory: {out}: line 1: {says}")


def test_show_prints_position_and_actions() -> None:
    state = TOY.new(2, 1)
    output = run("show", "-", typed=state.to_json()).out
    assert "A chance event is due:" in output
    assert "turn-up 1" in output
    fields = run("show", "-", "--json", typed=state.to_json()).json
    assert fields["position"] == state.to_position()
    assert [entry["text"] for entry in fields["legal"]] == [action.text for action in state.legal_actions()]


@pytest.mark.parametrize("game", GAMES)
def test_show_can_forget(game: str) -> None:
    state = GAMES[game].new(2, 1)
    fields = run("show", "-", "--json", "--seat", 1, typed=state.to_json()).json
    assert fields["position"] == state.observe(1).to_position()


# -- simulate --------------------------------------------------------------------------------------


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


def test_the_luck_of_simulated_games_is_independent_of_their_cards() -> None:
    assert foretold(random_game(GAMES["duel"], 2, seed, GameCounts()) for seed in range(300)) < ALL / 3

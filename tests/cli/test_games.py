"""`show`, `simulate` and `replay`: what they print, and what they refuse."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clerestory.cli.main import app
from clerestory.cli.new import first_decision
from clerestory.cli.opening import last_game
from clerestory.cli.options import BadOption
from clerestory.cli.recording import recorded
from clerestory.cli.simulating import GameCounts, random_game
from clerestory.engine import GAMES, NATURE, BadPosition, Record, read_records
from clerestory.engine.record import EarlyEnd
from clerestory.engine.toy.rules import TOY
from tests.foretold import ALL, foretold


def run(*arguments: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), input=stdin)


def test_simulate_records_what_replay_reads(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    summary = json.loads(
        run("simulate", "--game", "toy", "--seats", 3, "--games", 5, "--seed", 9, "--out", out, "--json").output
    )
    assert (summary["games"], summary["plies_per_game"]) == (5, 10)
    assert sum(summary["win_share"]) == pytest.approx(1)
    endings = [json.loads(line) for line in run("replay", out, "--json").output.splitlines()]
    assert [ending["seed"] for ending in endings] == [9, 10, 11, 12, 13]
    means = [sum(column) / 5 for column in zip(*(ending["returns"] for ending in endings), strict=True)]
    assert means == pytest.approx(summary["win_share"])


def test_simulate_counts_decisions_choices_and_chance_events(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    arguments = ("simulate", "--game", "cathedral", "--seats", 2, "--games", 2, "--out", out, "--json")
    summary = json.loads(run(*arguments).output)
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
        run("simulate", "--game", game, "--seats", 2, "--games", 9, "--seed", seed, "--json").output
        for seed in (1, 1, 2)
    )
    assert first == second != other


def test_the_luck_of_simulated_games_tells_nothing_of_their_cards() -> None:
    assert foretold(random_game(GAMES["duel"], 2, seed, GameCounts()) for seed in range(300)) < ALL / 3


def test_simulate_prints_a_table_by_seat() -> None:
    output = run("simulate", "--game", "toy", "--games", 3).output
    assert "seat 0" in output
    assert "3 games" in output


def test_replay_names_the_wrong_line(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    run("simulate", "--game", "toy", "--games", 1, "--out", out)
    lines = out.read_text().splitlines()
    out.write_text("\n".join([*lines[:3], *lines[4:]]))
    result = run("replay", out)
    assert isinstance(result.exception, BadOption)
    assert str(result.exception).startswith(f"{out}: line 4: ")
    assert str(run("play", out).exception) == str(result.exception)


@pytest.mark.parametrize(("torn", "plies"), [("", 0), ('{"ply": 5, "by', 4), ('{"end": true, "pl', 4)])
def test_replay_prints_a_game_whose_writer_was_killed(torn: str, plies: int, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    run("simulate", "--game", "toy", "--games", 2, "--seed", 1, "--out", out)
    whole = out.read_text().splitlines(keepends=True)
    second = next(i for i in range(1, len(whole)) if whole[i].startswith('{"record"'))
    out.write_text("".join(whole[: second + 1 + plies]) + torn)
    result = run("replay", out)
    assert (result.exit_code, result.exception) == (0, None)
    assert f"{plies} moves\nunfinished" in result.output
    shown = [json.loads(line) for line in run("replay", out, "--json").output.splitlines()]
    assert [(one["plies"], one["returns"]) for one in shown][1:] == [(plies, None)]


@pytest.mark.parametrize(("winner", "told"), [(1, "blue wins, red resigned"), (None, "abandoned, nobody wins")])
def test_replay_says_how_players_ended_a_game(winner: int | None, told: str, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    out.write_text("\n".join(Record(GAMES["duel"].new(2, 1), 1, EarlyEnd(winner)).lines()))
    assert run("replay", out).output.endswith(f"\n{told}.\n")
    shown = json.loads(run("replay", out, "--json").output)
    assert (shown["outcome"], shown["returns"]) == (told, None)
    assert json.loads(run("replay", out, "--json", "--language", "de").output) == shown


def test_replay_of_no_record_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    out.write_text("no record")
    assert str(run("replay", out).exception) == f"{out}: line 1: is incomplete, and there is no line before it"


@pytest.mark.parametrize("command", ["replay", "annotate"])
@pytest.mark.parametrize("path", ["-", "/dev/null"])
def test_a_file_without_a_game_is_refused(command: str, path: str) -> None:
    result = run(command, path, stdin="")
    assert isinstance(result.exception, BadOption)
    assert str(result.exception) == f"{path}: has no game"


@pytest.mark.parametrize("command", ["replay", "annotate"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_position_in_place_of_a_record_is_called_so(command: str, indent: int | None) -> None:
    result = run(command, "-", stdin=first_decision("toy", 2, 1).to_json(indent=indent))
    assert isinstance(result.exception, BadOption)
    assert str(result.exception) == "-: is a position, no record; `clerestory show` reads positions"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_texts_of_other_editors_are_read(encoding: str, tmp_path: Path) -> None:
    position, record, out = first_decision("toy", 2, 1), tmp_path / "record", tmp_path / "position"
    run("simulate", "--game", "toy", "--games", 1, "--seed", 1, "--out", record)
    record.write_text(record.read_text(), encoding)
    out.write_text(position.to_json(), encoding)
    assert json.loads(run("show", out, "--json").output)["position"] == position.to_position()
    assert run("hint", out, "--time", "20ms").exit_code == 0
    assert last_game(str(out)).state == position
    assert [len(games) for games in ([*recorded(str(record))], [last_game(str(record))])] == [1, 1]
    assert run("replay", record).exit_code == 0
    assert run("annotate", record, "--iterations", 50).exit_code == 0


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("command", ["replay", "annotate"])
def test_a_record_nested_too_deep_is_refused(command: str, end: str, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    out.write_text("[" * 30_000 + "]" * 30_000 + end)
    result = run(command, out)
    assert isinstance(result.exception, BadOption)
    assert "line 1: is nested too deep" in str(result.exception)


def test_show_prints_position_and_actions() -> None:
    state = TOY.new(2, 1)
    output = run("show", "-", stdin=state.to_json()).output
    assert "A chance event is due:" in output
    assert "turn-up 1" in output
    fields = json.loads(run("show", "-", "--json", stdin=state.to_json()).output)
    assert fields["position"] == state.to_position()
    assert [entry["text"] for entry in fields["legal"]] == [action.text for action in state.legal_actions()]


@pytest.mark.parametrize("game", GAMES)
def test_show_can_forget(game: str) -> None:
    state = GAMES[game].new(2, 1)
    fields = json.loads(run("show", "-", "--json", "--seat", 1, stdin=state.to_json()).output)
    assert fields["position"] == state.observe(1).to_position()


def test_show_refuses_a_bad_position() -> None:
    assert isinstance(run("show", "-", stdin="{}").exception, BadPosition)
    assert isinstance(run("show", "-", "--seat", 5, stdin=TOY.new(2, 1).to_json()).exception, BadOption)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "no-such-file.json"], "No such file"),
        (["replay", "no-such-file.jsonl"], "No such file"),
        (["simulate", "--game", "chess"], "'chess' is not one of"),
        (["simulate", "--game", "toy", "--seats", "5"], "5, but toy is for"),
        (["simulate", "--game", "toy", "--games", "0"], "--games"),
        (["simulate", "--game", "toy", "--seed", str(2**64 - 1)], "--seed: must be at most"),
        (["new", "--game", "chess"], "'chess' is not one of"),
        (["new", "--game", "toy", "--seats", "1"], "1, but toy is for"),
    ],
)
def test_wrong_input(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2 or isinstance(result.exception, BadOption)
    assert message in result.output + str(result.exception)

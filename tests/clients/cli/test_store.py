"""`clerestory store`: copies and migrates stores, and reports each failure in one line."""

import sqlite3
import subprocess
from pathlib import Path

import pytest

from clerestory.cli.serve import print_survey
from clerestory.server.games.stores import postgres_schema
from clerestory.server.games.stores.maintenance import Survey
from clerestory.server.games.stores.schema import SCRIPTS
from tests.clients.cli.command import announced, run, started
from tests.faults.disks import fill
from tests.server.games.earlier import VERSION, restore, unpack_file

FOUND = "15 games, 787 entries"


def said(*words: object) -> tuple[int, str]:
    done = run("store", *words)
    return done.code, done.out + done.err


def test_a_store_is_backed_up_and_restored_also_where_there_is_no_folder_for_stores_yet(tmp_path: Path) -> None:
    store, copy, again = unpack_file(tmp_path / "games.sqlite"), tmp_path / "copy", tmp_path / "again.sqlite"
    assert said("backup", copy, "--store", store) == (0, f"{copy}: format 2, {FOUND}\n")
    Path(store).unlink()
    assert said("restore", copy, "--store", again) == (0, f"{again}: format 2, {FOUND}\n")
    assert said("check", "--store", again) == (0, f"store: format 2, {FOUND}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.sqlite", "copy"]
    copy, folder = unpack_file(tmp_path / "copy.sqlite"), tmp_path / "of" / "games"
    again = folder / "games.sqlite"
    assert said("restore", copy, "--store", again) == (0, f"{again}: format 2, {FOUND}\n")
    assert [*folder.iterdir()] == [again]


def test_a_copy_into_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    store, copy = unpack_file(tmp_path / "games.sqlite"), tmp_path / "none" / "copy"
    says = f"clerestory: store: {copy} cannot be written: No such file or directory\n"
    assert said("backup", copy, "--store", store) == (2, says)


@pytest.mark.system
def test_a_copy_that_cannot_be_written_is_named(tmp_path: Path, small_disk: Path) -> None:
    store, full = unpack_file(tmp_path / "games.sqlite"), small_disk / "copy"
    ballast = fill(small_disk)
    says = f"clerestory: store: {full} cannot be written: No space left on device\n"
    for words in (("backup", full, "--store", store), ("restore", store, "--store", full)):
        assert said(*words) == (2, says)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    says = f"clerestory: store: {full} cannot be written: Read-only file system\n"
    assert said("backup", full, "--store", store) == (2, says)
    assert [*small_disk.iterdir()] == [ballast]


@pytest.mark.system
def test_a_store_on_a_disk_that_is_read_only_is_rejected_with_the_reason(small_disk: Path) -> None:
    store = unpack_file(small_disk / "games.sqlite")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    says = f"clerestory: store: {store} cannot be opened: nothing can be written in {small_disk}\n"
    assert said("migrate", "--store", store) == (2, says)


def test_one_of_a_thing_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    for games, entries in ((1, 8), (2, 1)):
        print_survey("store", Survey(4, games, entries, {}))
    assert capsys.readouterr().out == "store: format 4, 1 game, 8 entries\nstore: format 4, 2 games, 1 entry\n"


def test_a_store_is_migrated_and_taken_back(tmp_path: Path) -> None:
    store, newest = unpack_file(tmp_path / "games.sqlite"), len(SCRIPTS)
    assert said("migrate", "--store", store) == (0, f"store: format {newest}, {FOUND}\n")
    assert said("migrate", "--to", "2", "--store", store) == (0, f"store: format 2, {FOUND}\n")
    code, text = said("migrate", "--to", "1", "--store", store)
    known = ", ".join(map(str, range(2, newest + 1)))
    assert (code, text) == (2, f"clerestory: to: 1 is not one of {known}, the formats that this program makes\n")


@pytest.mark.system
def test_a_database_is_migrated_and_taken_back(database: str) -> None:
    restore(database)
    assert said("migrate", "--store", database) == (0, f"store: format {len(postgres_schema.SCRIPTS)}, {FOUND}\n")
    first = VERSION["database"]
    assert said("migrate", "--to", str(first), "--store", database) == (0, f"store: format {first}, {FOUND}\n")
    assert said("check", "--store", database) == (0, f"store: format {first}, {FOUND}\n")


def test_games_that_need_other_rules_or_cards_are_counted(tmp_path: Path) -> None:
    store = unpack_file(tmp_path / "games.sqlite")
    with sqlite3.connect(store) as connection:
        connection.execute(
            """UPDATE game SET head = replace(head, '"catalogue":"', '"catalogue":"z') WHERE name = 'duel'"""
        )
        connection.execute("""UPDATE game SET head = replace(head, '"rules_revision":', '"rules_revision":9')
            WHERE name = 'toy'""")
    connection.close()
    code, text = said("check", "--store", store)
    assert code == 0
    assert "  5 of them cannot go on here: the game has revision 9" in text
    assert "  5 of them cannot go on here: the game has the cards z" in text


def later(path: Path) -> Path:
    unpack_file(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    return path


def other(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def damaged(path: Path) -> Path:
    """Make a file with a page overwritten that has rows."""
    unpack_file(path)
    with path.open("r+b") as opened:
        opened.seek(20 * 4096)
        opened.write(b"\xff" * 4096)
    return path


WRONG = {
    "no such file": (lambda path: path, "there is no file"),
    "not a database": (lambda path: other(path, "recipes " * 200), "is not a store of games"),
    "an empty file": (lambda path: other(path, ""), "is not a store of games"),
    "a later version": (later, f"later version of Clerestory (format 99; this one reads up to {len(SCRIPTS)})"),
    "a damaged file": (damaged, "is damaged: "),
}


CASES = [(command, wrong) for command in ("backup", "check", "migrate") for wrong in WRONG]
CASES.remove(("migrate", "an empty file"))  # SQLite takes it for a new one


@pytest.mark.parametrize(("command", "wrong"), CASES)
def test_a_file_that_is_no_store_stays_as_it_is(command: str, wrong: str, tmp_path: Path) -> None:
    make, message = WRONG[wrong]
    path = make(tmp_path / "games.sqlite")
    was = path.read_bytes() if path.exists() else None
    code, text = said(command, *([tmp_path / "copy"] if command == "backup" else []), "--store", path)
    assert (code, text.count("\n")) == (2, 1)
    assert message in text
    assert (path.read_bytes() if path.exists() else None) == was
    assert [one.name for one in tmp_path.iterdir()] == [path.name] * path.exists()


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    says = f"clerestory: store: {tmp_path} is a folder; name a file in it, such as {tmp_path}/games.sqlite\n"
    for words in (
        ("check", "--store", tmp_path),
        ("backup", tmp_path / "copy", "--store", tmp_path),
        ("restore", tmp_path, "--store", tmp_path / "new"),
    ):
        assert said(*words) == (2, says)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("there", ["copy", "copy-wal"])
def test_nothing_is_overwritten(there: str, tmp_path: Path) -> None:
    store, copy = unpack_file(tmp_path / "games.sqlite"), str(tmp_path / "copy")
    (tmp_path / there).write_text("mine")
    for words in (("backup", copy, "--store", store), ("restore", store, "--store", copy)):
        code, text = said(*words)
        assert code == 2
        assert f"{there} exists already; move it away, or choose another name" in text
    assert (tmp_path / there).read_text() == "mine"


@pytest.mark.system
def test_a_store_in_use_is_not_migrated(tmp_path: Path) -> None:
    store = unpack_file(tmp_path / "games.sqlite")
    with started("serve", "--listen", "127.0.0.1:0", "--workers", "1", "--store", store) as process:
        announced(process)
        refused = (2, f"clerestory: store: {store} is in use by a server; stop it first\n")
        assert said("migrate", "--to", "2", "--store", store) == refused
        assert said("check", "--store", store) == (0, f"store: format {len(SCRIPTS)}, {FOUND}\n")


def test_a_database_is_backed_up_by_its_own_commands(tmp_path: Path) -> None:
    code, text = said("backup", str(tmp_path / "copy"), "--store", "postgresql://clerestory:secret@db.example/games")
    assert code == 2
    assert "pg_dump" in text
    assert "secret" not in text

"""The checks of a release: versions, licences, sums. The release itself is made and tried by `make release-check`."""

import hashlib
import json
import re
import zipfile
from pathlib import Path

import pytest

from clerestory import __version__
from tools.release import (
    NPM,
    check_licences,
    check_same_files,
    is_allowed,
    lowest,
    node_licences,
    packed,
    stated,
    write_sums,
)

ROOT = Path(__file__).parents[2]
ENTRY = re.compile(r"^## (\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)$", re.MULTILINE)


def test_the_changelog_has_dated_versions_and_begins_with_this_one() -> None:
    entries = [(*map(int, numbers), date) for *numbers, date in ENTRY.findall((ROOT / "CHANGELOG.md").read_text())]
    assert ".".join(map(str, entries[0][:3])) == __version__
    assert entries == sorted(entries, reverse=True)
    assert [date for *_, date in entries] == sorted({date for *_, date in entries}, reverse=True)


def test_the_lowest_versions_are_exact() -> None:
    assert "grpcio==1.80" in lowest()
    assert {"pydantic==2.10; python_version < '3.14'", "pydantic==2.12; python_version >= '3.14'"} <= {*lowest()}
    bare = [one.partition(";")[0] for one in lowest()]
    assert [one for one in bare if one.count("==") != 1 or ">" in one or "<" in one] == []


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("Apache-2.0", True),
        ("MIT License", True),
        ("BSD-3-Clause AND MIT", True),
        ("GPL-3.0 OR MIT", True),
        ("MIT AND GPL-3.0", False),
        ("GPL-3.0-or-later", False),
        ("Proprietary", False),
        ("", False),
    ],
)
def test_a_licence_is_allowed_or_not(licence: str, allowed: bool) -> None:
    assert is_allowed(licence) == allowed


def test_a_licence_is_taken_from_the_best_source() -> None:
    assert stated("MIT", "x", ["License :: OSI Approved :: BSD License"]) == "MIT"
    assert stated(None, "x", ["License :: OSI Approved :: BSD License"]) == "BSD License"
    assert stated(None, "ISC\nlong text", []) == "ISC"
    assert stated(None, None, []) == ""


def test_a_licence_that_is_not_allowed_is_named(tmp_path: Path) -> None:
    for name, licence in (("good", "MIT"), ("bad", "GPL-3.0-only")):
        folder = tmp_path / "node_modules" / name
        folder.mkdir(parents=True)
        facts = {"name": name, "version": "1.0.0", "license": licence}
        (folder / "package.json").write_text(json.dumps(facts))
    with pytest.raises(SystemExit, match=r"bad: GPL-3\.0-only$"):
        check_licences(node_licences(tmp_path))


def test_the_sums_are_those_of_all_artifacts(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="not in"):
        packed(tmp_path)
    for name in NPM:
        (tmp_path / f"{name}.tgz").write_text(name)
    write_sums(tmp_path)
    write_sums(tmp_path)
    expected = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}.tgz" for name in NPM]
    assert (tmp_path / "SHA256SUMS").read_text().splitlines() == expected


def wheel_with(folder: Path, tag: str, *names: str) -> Path:
    path = folder / f"clerestory-1.0.0-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


def test_wheels_of_all_platforms_contain_the_same_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    glibc = wheel_with(tmp_path, "x86_64", "core.cpython-311-x86_64-linux-gnu.so", "page/index.html")
    musl = wheel_with(tmp_path, "musl", "core.cpython-313-aarch64-linux-musl.so", "page/", "page/index.html")
    check_same_files([glibc, musl])
    assert capsys.readouterr().out == "wheels: 2, each with the same 2 files\n"


def test_a_file_that_one_wheel_lacks_is_named(tmp_path: Path) -> None:
    whole = wheel_with(tmp_path, "x86_64", "core.cpython-314-darwin.so", "page/index.html")
    part = wheel_with(tmp_path, "arm64", "core.cpython-314t-x86_64-linux-gnu.so")
    with pytest.raises(SystemExit, match=r"only one of .*x86_64.whl and .*arm64.whl contains page/index.html"):
        check_same_files([whole, part])

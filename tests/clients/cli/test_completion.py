"""Completion and manual pages have every command and option that help has."""

import re
import subprocess
from pathlib import Path

import pytest

from clerestory.cli.completion import whole
from tests.clients.cli.command import run
from tests.parts import require_program

PAGES = {" ".join(one.words): one for one in whole()}
COMPLETED = """
source {script}
COMP_WORDS=({words} "{begun}")
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_clerestory
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def printed(*words: str) -> str:
    done = run(*words)
    assert done.code == 0
    return done.out


def test_every_command_of_the_help_is_listed() -> None:
    assert {"clerestory serve", "clerestory health", "clerestory bench engine", "clerestory learn"} <= set(PAGES)
    for name, one in PAGES.items():
        assert one.summary, name
        shown = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", printed(*name.split()[1:], "--help")))
        assert {opt for option in one.options for opt in option.opts} <= shown | {"--help"}


@pytest.mark.system
@pytest.mark.parametrize(
    ("words", "begun", "offered"),
    [
        ("clerestory", "he", {"health"}),
        ("clerestory", "--ver", {"--version"}),
        ("clerestory health", "--tls", {"--tls-ca", "--tls-cert", "--tls-key"}),
        ("clerestory health --server x", "--se", {"--server", "--service"}),
        ("clerestory bench", "en", {"engine", "envs"}),
        ("clerestory bench engine", "--sea", {"--seats"}),
        ("clerestory show", "position.js", {""}),
    ],
)
def test_bash_completes(words: str, begun: str, offered: set[str], tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(printed("completion", "bash"))
    text = COMPLETED.format(script=script, words=words, begun=begun)
    bash = require_program("bash", "apt-get install bash")
    done = subprocess.run([bash, "--norc", "-c", text], capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()) == offered


def test_fish_completes_every_option_and_zsh_reads_what_bash_does() -> None:
    script = printed("completion", "fish")
    for one in PAGES.values():
        for option in one.options:
            assert f" -l {option.opts[0][2:]}" in script
    assert printed("completion", "zsh").endswith(printed("completion", "bash"))


def test_manual_pages_have_every_option_and_mark_what_may_be_left_out(tmp_path: Path) -> None:
    assert printed("manual", str(tmp_path)) == f"{len(PAGES)} pages in {tmp_path}\n"
    for name, one in PAGES.items():
        text = (tmp_path / f"{name.replace(' ', '-')}.1").read_text("utf-8")
        for option in one.options:
            assert option.opts[0].replace("-", "\\-") in text
        assert not [line for line in text.splitlines() if re.match(r"'|\.(?!TH |SH |TP$|B )", line)]
    for name, usage in (("play", "[OPTIONS] [START]\n"), ("show", "[OPTIONS] POSITION\n")):
        assert usage in (tmp_path / f"clerestory-{name}.1").read_text("utf-8")

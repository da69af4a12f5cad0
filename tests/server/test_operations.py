"""docs/reference.md lists every setting with its default, and every metric with its labels."""

import re
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from clerestory.cli.lazy import imported
from clerestory.cli.main import app
from clerestory.cli.options import ROUNDED, plain
from tests.server.rpc.harness import served
from tools.declared import metrics_table, settings_table

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "reference.md").read_text(encoding="utf-8")
SETTING = re.compile(r"^\| `(--[\w-]+)` \| `(\w+)` \| (.*?) \| (.*?) \|$", re.MULTILINE)
METRIC = re.compile(r"^\| `(clerestory_\w+)` \| (\w+) \| (.*?) \|", re.MULTILINE)
LOCALE = {"None": "none", "": "none", "False": "no"}  # how defaults without a value are shown


def options() -> Iterator[tuple[str, str, str, str]]:
    """Yield every visible option of `clerestory serve`: environment variable, default and help."""
    for option in imported("serve", "serve:serve").params:
        if not option.hidden:
            words = LOCALE.get(str(option.default), str(option.default))
            shown = option.show_default if isinstance(option.show_default, str) else words
            yield option.opts[0], option.envvar, shown, option.help


def test_the_table_of_settings_is_what_is_declared() -> None:
    assert settings_table() in REFERENCE, "run `make reference`"


def test_the_table_of_settings_is_the_options() -> None:
    rows = [
        (option, variable, ROUNDED.sub(r"\1", default.replace("`", "")), plain(text))
        for option, variable, default, text in SETTING.findall(REFERENCE)
    ]
    assert rows == list(options())


def test_the_help_shows_the_defaults() -> None:
    shown = " ".join(CliRunner(env={"COLUMNS": "200"}).invoke(app, ["serve", "--help"]).output.split())
    assert "Bytes of the trees of all running searches together." in shown
    for default in ("user:", "(number of cores)", "(1 GB)", "127.0.0.1:50051"):
        assert f"default: {default}]" in shown


async def test_the_table_of_metrics_is_the_registry() -> None:
    assert metrics_table() in REFERENCE, "run `make reference`"
    async with served() as server:
        registry = server.app.metrics.registry
        families = {
            (f"{family.name}_total" if family.type == "counter" else family.name, family.type)
            for family in registry.collect()
        }
    assert {(name, kind) for name, kind, _ in METRIC.findall(REFERENCE)} == families
    for name, _, labels in METRIC.findall(REFERENCE):
        assert set(registry._names_to_collectors[name]._labelnames) == set(re.findall(r"`(\w+)`", labels))

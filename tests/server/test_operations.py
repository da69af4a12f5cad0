"""docs/operations.md lists every setting with its default, and every metric with its labels."""

import re
from collections.abc import Iterator
from pathlib import Path

from clerestory.cli.lazy import imported
from clerestory.server.config import Settings
from tests.server.harness import served

PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
SETTING = re.compile(r"^\| `(--[\w-]+)` \| `(\w+)` \| (.*?) \|", re.MULTILINE)
METRIC = re.compile(r"^\| `(clerestory_\w+)` \| (\w+) \| (.*?) \|", re.MULTILINE)
DOOR = {"web", "web_name", "web_page", "web_proxy"}  # settings of the door for browsers
SPOKEN = {"None": "none", "False": "no", "": "none"}  # how the page says a default that is not a value


def options() -> Iterator[tuple[str, str, str]]:
    """Every visible option of `clerestory serve`, its environment variable and its default."""
    for option in imported("serve", "serve:serve").params:
        if not option.hidden:
            default = "cores" if option.name == "workers" else str(option.default)
            yield option.opts[0], option.envvar, SPOKEN.get(default, default)


def test_the_table_of_settings_is_the_options() -> None:
    listed = [(option, variable, default.strip("`")) for option, variable, default in SETTING.findall(PAGE)]
    assert listed == list(options())


def test_every_setting_is_an_option() -> None:
    named = {option.removeprefix("--").replace("-", "_") for option, _, _ in options()}
    assert named == set(Settings.__dataclass_fields__) | {"log_format", "log_level"} | DOOR


async def test_the_table_of_metrics_is_the_registry() -> None:
    async with served() as server:
        families = {
            (f"{family.name}_total" if family.type == "counter" else family.name, family.type)
            for family in server.app.metrics.registry.collect()
        }
    assert {(name, kind) for name, kind, _ in METRIC.findall(PAGE)} == families


async def test_the_labels_of_metrics_are_those_of_the_page() -> None:
    listed = {name: set(re.findall(r"`(\w+)`", labels)) for name, _, labels in METRIC.findall(PAGE)}
    async with served() as server:
        kept = server.app.metrics.registry._names_to_collectors
        labels = {name: set(collector._labelnames) for name, collector in kept.items() if name in listed}
    assert labels == listed

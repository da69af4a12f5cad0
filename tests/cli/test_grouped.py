"""Options that go together: what a command takes for a dataclass, and what it is given."""

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from clerestory.cli.grouped import grouped


@dataclass(frozen=True)
class Cake:
    eggs: Annotated[int, typer.Option("--eggs")] = 2
    sort: Annotated[str, typer.Option("--sort")] = "lemon"


@dataclass(frozen=True)
class Oven:
    """A dataclass without annotations for options."""

    degrees: int
    fan: bool = False


RICH = Cake(eggs=6)
OVEN = {"degrees": typer.Option("--heat", help="In degrees."), "fan": typer.Option("--fan")}


@grouped(oven=OVEN)
def bake(name: str, oven: Oven, cake: Cake = RICH, times: int = 1) -> None:
    typer.echo(f"{name} {cake} {oven} {times}")


def run(*words: str) -> str:
    app = typer.Typer()
    app.command()(bake)
    result = CliRunner().invoke(app, words)
    return result.output


def test_fields_are_options_of_the_command() -> None:
    said = run("tart", "--heat", "180", "--fan", "--sort", "plum", "--times", "3")
    assert said == "tart Cake(eggs=6, sort='plum') Oven(degrees=180, fan=True) 3\n"


def test_the_instance_that_is_the_default_has_the_defaults() -> None:
    assert run("tart", "--heat", "180") == "tart Cake(eggs=6, sort='lemon') Oven(degrees=180, fan=False) 1\n"


def test_a_field_without_a_default_must_be_given() -> None:
    assert "Missing option '--heat'" in run("tart")


def test_the_help_is_that_of_the_table() -> None:
    assert "In degrees." in run("--help")

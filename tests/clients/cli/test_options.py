"""Groups of options: a command has an option for each field of a dataclass, and receives its values."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from clerestory.cli.options import grouped


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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("tart --heat 180", "tart Cake(eggs=6, sort='lemon') Oven(degrees=180, fan=False) 1\n"),
        (
            "tart --heat 180 --fan --sort plum --times 3",
            "tart Cake(eggs=6, sort='plum') Oven(degrees=180, fan=True) 3\n",
        ),
        ("tart", "Missing option '--heat'"),
        ("--help", "In degrees."),
    ],
)
def test_fields_are_options_of_the_command(words: str, said: str) -> None:
    app = typer.Typer()
    app.command()(bake)
    assert said in CliRunner().invoke(app, words).output

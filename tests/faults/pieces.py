"""Long runs in pieces, each told in a line of a file, so that a run that was broken off goes on."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

Seed = Annotated[int, typer.Option(help="Of the first piece.")]
Out = Annotated[Path, typer.Option(help="File of figures, a line for each piece.")]
Done = list[dict[str, Any]]  # figures of each piece
Table = Callable[[Done], str]


def command(run: Callable[[Path, int], Any], length: float, file: str, table: Table) -> None:
    """Run the command line of a module whose pieces take `length` seconds."""

    def main(
        seconds: Annotated[float, typer.Option(help="Of all pieces together.")] = 3600.0,
        seed: Seed = 0,
        out: Out = Path(file),
    ) -> None:
        """Run pieces that are not in the file yet, and print the figures of all; exit with 1 for a fault."""
        conclude(pieces(out, seed, max(1, round(seconds / length)), run), table)

    typer.run(main)


def conclude(done: Done, table: Table) -> None:
    """Print the figures of pieces together, and exit with 1 for a fault."""
    typer.echo(table(done))
    raise typer.Exit(any(one["faults"] for one in done))


def sums(done: Done, names: Sequence[str]) -> list[str]:
    """Return rows of Markdown with the sums of figures, and the number of faults found."""
    rows = [f"| {name} | {sum(one[name] for one in done):,.0f} |" for name in names]
    return [*rows, f"| faults found | {sum(len(one['faults']) for one in done)} |"]


def pieces(out: Path, seed: int, number: int, run: Callable[[Path, int], Any]) -> Done:
    """Return the figures of pieces; those that a file has not are run, and added to it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    known = {one["seed"]: one for one in map(json.loads, out.read_text().splitlines())} if out.exists() else {}
    for piece in range(seed, seed + number):
        if piece not in known:
            with TemporaryDirectory(prefix="clerestory-") as folder:
                known[piece] = asdict(run(Path(folder), piece))
            with out.open("a") as file:
                file.write(json.dumps(known[piece]) + "\n")
            faults = known[piece]["faults"]
            typer.echo("\n  ".join([f"piece {piece}: {len(faults)} faults", *faults[:20]]))
    return [known[piece] for piece in range(seed, seed + number)]

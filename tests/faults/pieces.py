"""Long runs in pieces, each told in a line of a file, so that a run that was broken off goes on."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer


def pieces(out: Path, seed: int, number: int, run: Callable[[Path, int], Any]) -> list[dict[str, Any]]:
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

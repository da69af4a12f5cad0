"""`clerestory store`: backs up, restores, checks and migrates the games that servers keep."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.lazy import group
from clerestory.cli.settings import setting_of
from clerestory.server.config import Settings
from clerestory.server.games.bounds import USER

if TYPE_CHECKING:
    from clerestory.server.games.stores.maintenance import Survey

StoreOption = Annotated[str, setting_of(Settings, "store", USER)]
CopyArgument = Annotated[Path, typer.Argument(metavar="COPY", help="File of the back-up.")]
ToOption = Annotated[int | None, typer.Option(metavar="N", help="Format of the tables; by default the newest.")]

store = group(
    {
        "Stores": {
            "backup": ("Copy the games into a new file, while the server goes on.", "store:backup"),
            "restore": ("Make a back-up the store of a server that has none yet.", "store:restore"),
            "check": ("Say what a store holds, and whether it is sound.", "store:check"),
            "migrate": ("Bring a store to the format of this version, or back.", "store:migrate"),
        }
    },
    "Back up, restore, check and migrate the games that servers keep.",
)


def backup(copy: CopyArgument, store: StoreOption = USER) -> None:
    """Copy the games into a new file, also while a server plays them: all that it has answered is in the copy."""
    from clerestory.server.games.stores.maintenance import copy_store, required_file

    tell(str(copy), copy_store(required_file(store), copy))


def restore(copy: CopyArgument, store: StoreOption = USER) -> None:
    """Make a back-up the store of a server that has none yet; a store that is there stays."""
    from clerestory.server.games.stores.maintenance import copy_store, existing, file_to_make

    file = file_to_make(store)
    tell(str(file), copy_store(existing(copy), file, into_new_folder=True))


def check(store: StoreOption = USER) -> None:
    """Say what a store holds, and which games need other rules or cards; exit code 2 if it is damaged."""
    from clerestory.server.games.stores.maintenance import survey

    tell("store", asyncio.run(survey(store)))


def migrate(store: StoreOption = USER, to: ToOption = None) -> None:
    """Bring a store that no server uses to the format of this version; --to N is the way back to an earlier one."""
    from clerestory.server.games.stores.maintenance import migrate_store, survey

    asyncio.run(migrate_store(store, to))
    tell("store", asyncio.run(survey(store)))


def tell(name: str, found: "Survey") -> None:
    """Print what a store holds."""
    games = "game" if found.games == 1 else "games"
    entries = "entry" if found.entries == 1 else "entries"
    typer.echo(f"{name}: format {found.version}, {found.games:,} {games}, {found.entries:,} {entries}")
    for reason, count in found.frozen.items():
        typer.echo(f"  {count:,} of them cannot go on here: {reason}")

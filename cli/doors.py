"""Options of the page for browsers, which `serve` and `web` share."""

from pathlib import Path
from typing import Annotated

from clerestory.cli.settings import setting_of
from clerestory.door.config import DoorSettings

NamesOption = Annotated[list[str] | None, setting_of(DoorSettings, "names")]
PageOption = Annotated[Path | None, setting_of(DoorSettings, "page")]
ProxiesOption = Annotated[list[str] | None, setting_of(DoorSettings, "proxies")]


def chosen_door(
    listen: str, names: list[str] | None, insecure: bool, page: Path | None, proxies: list[str] | None
) -> DoorSettings:
    """Return the settings of a door. Raises BadDoor."""
    return DoorSettings(listen, tuple(names or ()), insecure, page, tuple(proxies or ()))

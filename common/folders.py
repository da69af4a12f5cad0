"""Creates private folders for Unix sockets, and removes those that killed processes left behind."""

import errno
import os
import socket
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "clerestory-"
FRESH = 60.0  # seconds after its creation in which a folder may not have a listener yet


@contextmanager
def socket_folder() -> Iterator[str]:
    """Yield a new folder, after removing those of killed processes."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            remove_left(folder)
    with tempfile.TemporaryDirectory(prefix=PREFIX) as made:
        yield made


def remove_left(folder: Path) -> None:
    """Remove a folder of this user if it contains only sockets without a listener. Raises OSError."""
    found = folder.lstat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    if not ours or time.time() - found.st_mtime < FRESH:
        return
    entries = list(folder.iterdir())
    if entries and all(map(is_left, entries)):
        for entry in entries:
            entry.unlink()
        folder.rmdir()


def is_left(entry: Path) -> bool:
    """Return whether an entry is a socket without a listener."""
    if not entry.is_socket():
        return False
    with socket.socket(socket.AF_UNIX) as caller:
        caller.setblocking(False)
        return caller.connect_ex(str(entry)) == errno.ECONNREFUSED

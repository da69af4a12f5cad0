"""Folders for sockets that no other user reaches; where a process was killed, another one removes its folder."""

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
FRESH = 60.0  # seconds in which the process that made a folder may not listen in it yet


@contextmanager
def socket_folder() -> Iterator[str]:
    """Yield a new folder, and remove those of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            remove_left(folder)
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        yield folder


def remove_left(folder: Path) -> None:
    """Remove a folder of this user that has nothing but sockets at which nobody listens. Raises OSError."""
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
    """Return whether an entry is a socket at which nobody listens any more."""
    if not entry.is_socket():
        return False
    with socket.socket(socket.AF_UNIX) as caller:
        caller.setblocking(False)
        return caller.connect_ex(str(entry)) == errno.ECONNREFUSED

"""Sizes for people, and files that have no room."""

import errno

STEP = 1000
NO_ROOM = (errno.EFBIG, errno.EDQUOT, errno.ENOSPC)  # errors of a write: a limit, a quota, a full disk
UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB", "EB")


def spoken_size(count: int) -> str:
    """Return a number of bytes as people say it, rounded to whole units, as in 81 MB."""
    size, unit = float(count), 0
    while size >= STEP - 0.5 and unit < len(UNITS) - 1:
        size, unit = size / STEP, unit + 1
    return f"{size:.0f} {UNITS[unit]}"

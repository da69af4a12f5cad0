"""Formats sizes for users, and lists the errors of a full disk."""

import errno

STEP = 1000
NO_ROOM = (errno.EFBIG, errno.EDQUOT, errno.ENOSPC)  # errors of a write: file size limit, quota, full disk
UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB", "EB")


def spoken_size(count: int) -> str:
    """Return a number of bytes in rounded units, such as 81 MB."""
    size, unit = float(count), 0
    while size >= STEP - 0.5 and unit < len(UNITS) - 1:
        size, unit = size / STEP, unit + 1
    return f"{size:.0f} {UNITS[unit]}"

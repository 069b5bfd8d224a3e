"""Records from files, for the commands that read them."""

from __future__ import annotations

import sys
from pathlib import Path

from services.launch.exits import USAGE, Stop

RECORD_BYTES_MAX = 1 << 20
"""More than any record; the readers have limits of their own below it."""


def read(path: Path) -> bytes:
    """Return the bytes of a record file; `-` is standard input.

    Raises:
        Stop: It cannot be read, or is far too large to be a record.
    """
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(RECORD_BYTES_MAX + 1)
        else:
            with path.open("rb") as file:
                data = file.read(RECORD_BYTES_MAX + 1)
    except OSError as error:
        raise Stop(USAGE, f"{path} cannot be read: {error.strerror}") from error
    if len(data) > RECORD_BYTES_MAX:
        raise Stop(USAGE, f"{path} is larger than any record")
    return data

"""The data folder of one `paiju up`: who holds it, and where everything in it is."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.launch.exits import HELD, OUTAGE, Stop
from services.launch.process import Identity, identify

LOCK_BYTES_MAX = 4096


class DataFolder:
    """Everything a single-machine installation owns.

    ```
    data/lock          flock; names its holder
    data/nats/         the broker's store, configuration, log and identity
    data/*.db          one SQLite file per service
    data/keys/         keys made at the first start, readable by the owner only
    ```
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.nats = self.path / "nats"
        self.keys = self.path / "keys"

    @contextmanager
    def held(self) -> Iterator[DataFolder]:
        """Hold the folder for the length of the block, making it where it is missing.

        The lock is the kernel's (flock): it goes when its process goes, however that happened, and children
        do not inherit it.

        Raises:
            Stop: Another process holds it (`HELD`), or it cannot be written (`OUTAGE`).
        """
        try:
            for folder in (self.path, self.nats, self.keys):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            fd = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise Stop(OUTAGE, f"cannot use the data folder {self.path}: {error.strerror}") from error
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Stop(HELD, f"the data folder {self.path} is in use by {_holder(fd)}") from None
            me = identify(os.getpid())
            assert me is not None, "a process can always see itself"
            os.ftruncate(fd, 0)
            os.pwrite(fd, json.dumps({"pid": me.pid, "started": me.started}).encode(), 0)
            yield self
        finally:
            os.close(fd)

    def key(self, name: str, make: bytes) -> bytes:
        """Return the key of that name, which is `make` if there was none yet.

        Args:
            name: A file name under `keys/`.
            make: Fresh key material, written only when the key is missing.
        """
        path = self.keys / name
        if not path.exists():
            # Written aside and renamed: a crash leaves either no key or a whole one.
            aside = path.with_name(f"{name}.new")
            fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "wb") as file:
                file.write(make)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        return path.read_bytes()


def _holder(fd: int) -> str:
    try:
        said = json.loads(os.pread(fd, LOCK_BYTES_MAX, 0))
        holder = Identity(said["pid"], said["started"])
    except (ValueError, KeyError, TypeError):
        return "another process (it is just starting)"
    return f"process {holder.pid}; stop that one first, or choose another folder with --data"

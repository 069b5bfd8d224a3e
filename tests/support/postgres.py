"""A real PostgreSQL server, started by a user that it accepts (it refuses root)."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.support.ports import free_ports

START_S_MAX = 30.0


def postgres_binaries() -> Path | None:
    """Return the folder with `initdb` and `postgres`, or None if PostgreSQL isn't installed."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True
    )
    on_path = shutil.which("initdb")
    folders = found + ([Path(on_path).resolve().parent] if on_path else [])
    return next(
        (folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()),
        None,
    )


def _other_user() -> str | None:
    """Return the user to run it as: None = as we are."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    raise AssertionError("root has no other user to run PostgreSQL as")


@dataclass
class PostgresServer:
    """One server with its own cluster; `database` makes a database of its own for a test."""

    binaries: Path
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="paiju-pg-")))
    port: int = 0
    address: str = "127.0.0.1"
    """Where it listens besides the loopback; whoever comes from a network beside it is let in."""
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _made: int = 0

    def start(self) -> PostgresServer:
        """Make the cluster and start it; return when it answers."""
        user = _other_user()
        if user is not None:
            self.folder.chmod(0o755)
            shutil.chown(self.folder, user)
        data = self.folder / "data"
        log = self.folder / "server.log"
        if not data.exists():
            subprocess.run(
                [
                    self.binaries / "initdb",
                    "-D",
                    data,
                    "-U",
                    "paiju",
                    "-A",
                    "trust",
                    "-E",
                    "UTF8",
                    "--no-locale",
                    "-N",
                ],
                user=user,
                check=True,
                capture_output=True,
                cwd=self.folder,
            )
            if self.address != "127.0.0.1":
                with (data / "pg_hba.conf").open("a") as rules:
                    rules.write("host all all samenet trust\n")
        self.port = self.port or free_ports(1)[0]
        out = log.open("ab")
        self._process = subprocess.Popen(
            [
                *(self.binaries / "postgres", "-D", data, "-p", str(self.port)),
                *(
                    "-c",
                    f"listen_addresses={','.join(sorted({'127.0.0.1', self.address}))}",
                    "-c",
                    "unix_socket_directories=",
                    "-c",
                    "max_connections=100",
                ),
                *("-c", "shared_buffers=32MB"),
            ],
            user=user,
            stdout=out,
            stderr=out,
            cwd=self.folder,
        )
        out.close()
        deadline = time.monotonic() + START_S_MAX
        while True:
            try:
                psycopg.connect(self._url("postgres"), connect_timeout=2).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"PostgreSQL did not start:\n{log.read_text()[-2000:]}") from None
                time.sleep(0.05)
            else:
                return self

    def database(self) -> str:
        """Make an empty database, and return its URL."""
        self._made += 1
        name = f"test_{os.getpid()}_{self._made}"
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template0'.encode())
        return self._url(name)

    def stop(self) -> None:
        """End it at once; connections are cut."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(10)
        self._process = None

    def remove(self) -> None:
        """Stop it, and remove its cluster."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _url(self, database: str) -> str:
        return f"postgresql://paiju@127.0.0.1:{self.port}/{database}"

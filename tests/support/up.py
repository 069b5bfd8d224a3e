"""A real `paiju up` in a process of its own, for tests that kill, stop or drive the whole platform."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]

START_S_MAX = 60.0
"""Generous: several of these start at once on a machine of two cores."""


@dataclass(frozen=True)
class Announced:
    """What `paiju up --json` says when it is ready."""

    url: str
    grpc: str
    metrics: str
    data: str
    pid: int


class Up:
    """One `paiju up` on free ports; entering starts it and returns when it serves, leaving ends it.

    Usage: `with Up(tmp_path / "data") as up: requests to up.said.url`.
    """

    said: Announced

    def __init__(self, data: Path, *options: str, env: dict[str, str] | None = None) -> None:
        self.data = data
        self._options = options
        self._env = env or {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The running process."""
        assert self._process is not None, "not started"
        return self._process

    def start(self) -> Self:
        """Start it and return once it has announced itself.

        Raises:
            AssertionError: It ended, or took longer than `START_S_MAX`; `data.log` says why.
        """
        log = self.data.with_name(f"{self.data.name}.log")
        self._process = spawn(
            "up", "--data", str(self.data), "--port", "0", "--json", *self._options, env=self._env, log=log
        )
        # A start that hangs is killed, and the line below then ends.
        watchdog = threading.Timer(START_S_MAX, self._process.kill)
        watchdog.start()
        try:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
        finally:
            watchdog.cancel()
        assert line, f"paiju up ended with {self._process.wait()}: {log.read_text(encoding='utf-8')[-2000:]}"
        self.said = Announced(**json.loads(line))
        return self

    def kill(self) -> None:
        """Kill it as a crash would: no handler runs."""
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        """End it as Ctrl-C does, and return its exit code."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(START_S_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            if self._process.poll() is None:
                self.end()
            if self._process.stdout is not None:
                self._process.stdout.close()


def spawn(*arguments: str, env: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start a `paiju` command with its standard error in a file."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "protos")])
    with log.open("ab") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "services.launch", *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": paths, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )


def servers_on(data: Path) -> list[int]:
    """Return the pids of all nats-servers that run on the store of a data folder (Linux)."""
    config = str(data / "nats" / "nats.conf").encode()
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if words[0].endswith(b"nats-server") and config in words:
            found.append(int(process.parent.name))
    return found

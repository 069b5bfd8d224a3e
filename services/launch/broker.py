"""The embedded broker: a nats-server child that never outlives us and never shares its store."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from services.chassis.clock import Clock
from services.chassis.ids import Ids
from services.launch.exits import OUTAGE, Stop
from services.launch.process import Identity, identify, spawn_tethered

START_S_MAX = 60.0
"""A store of 2 million messages takes about 4 s to recover, one without its index 10 s."""

STOP_S_MAX = 10.0
"""After this a server that was asked to stop is killed: the store bears it (every write was synced)."""

POLL_S = 0.01

MEMORY_LIMIT = "1GiB"
"""GOMEMLIMIT: replays over many blocks may otherwise take far more before the collector runs."""

_CONFIG = """\
# Written by `paiju up` at each start.
server_name: "paiju-up"
host: "127.0.0.1"
port: {port}
ports_file_dir: {folder}
log_file: {log}
logfile_size_limit: 10MB
logfile_max_num: 3
authorization {{
  user: {user}
  password: {password}
}}
jetstream {{
  store_dir: {store}
  sync_interval: always
  max_memory_store: 256MB
}}
"""


class Broker:
    """One nats-server on a free loopback port, with its store in `folder`.

    The caller holds the data folder's lock. Log, configuration, store and identity are in `folder`.
    """

    def __init__(self, folder: Path, clock: Clock, ids: Ids) -> None:
        self._folder = folder
        self._clock = clock
        self.user = "up"
        self.password = ids.token(24).hex()
        """Made anew by each run; the configuration that holds it is readable by us alone."""
        self._binary = find_binary()
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """Where to connect, as `user` with `password`."""
        return f"nats://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        """Its loopback port, the same for as long as we run."""
        return self._port

    async def start(self) -> None:
        """Start the server and return once it accepts connections; a leftover of ours is ended first.

        Raises:
            Stop: It did not start, or the leftover would not end.
        """
        await self._end_leftover()
        for stale in self._folder.glob("*.ports"):
            stale.unlink()
        config = self._folder / "nats.conf"
        _write_private(config, self._config())
        env = {"PATH": os.environ.get("PATH", ""), "GOMEMLIMIT": MEMORY_LIMIT}
        self._process = spawn_tethered([str(self._binary), "-c", str(config)], env, self._folder)
        me = identify(self._process.pid)
        self._remember(me, 0)
        self._port = await self._ready(self._process)
        self._remember(me, self._port)

    async def stop(self) -> None:
        """Stop the server and return when it has ended; a second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        if not await self._ended(process):
            process.kill()
            await self._ended(process)
        self._identity_file.unlink(missing_ok=True)

    async def died(self) -> int:
        """Return the server's exit status once it has ended without being asked to."""
        while self._process is not None:
            status = self._process.poll()
            if status is not None:
                return status
            await self._clock.sleep(0.2)
        return 0

    def tail(self) -> str:
        """Return the last line of the server's log that says what was wrong, or the last one."""
        try:
            lines = (
                (self._folder / "nats.log").read_text(encoding="utf-8", errors="replace").splitlines()[-50:]
            )
        except FileNotFoundError:
            return "it wrote no log"
        wrong = [line for line in lines if "[FTL]" in line or "[ERR]" in line]
        return (wrong or lines or ["its log is empty"])[-1]

    @property
    def _identity_file(self) -> Path:
        return self._folder / "server.json"

    def _config(self) -> str:
        return _CONFIG.format(
            # The first start takes any free port; a restart takes the same, so that clients find it again.
            port=self._port or -1,
            folder=_text(str(self._folder)),
            log=_text(str(self._folder / "nats.log")),
            user=_text(self.user),
            password=_text(self.password),
            store=_text(str(self._folder / "store")),
        )

    def _remember(self, identity: Identity | None, port: int) -> None:
        if identity is not None:
            content = {"pid": identity.pid, "started": identity.started, "port": port}
            _write_private(self._identity_file, json.dumps(content))

    async def _ready(self, process: subprocess.Popen[bytes]) -> int:
        ports = self._folder / f"{self._binary.name}_{process.pid}.ports"
        deadline = self._clock.monotonic() + START_S_MAX
        while self._clock.monotonic() < deadline:
            if process.poll() is not None:
                raise Stop(OUTAGE, f"nats-server ended at its start: {self.tail()}")
            try:
                [url, *_] = json.loads(ports.read_text(encoding="utf-8"))["nats"]
                return int(url.rsplit(":", 1)[1])
            except (FileNotFoundError, ValueError):  # not there yet, or half written
                await self._clock.sleep(POLL_S)
        raise Stop(OUTAGE, f"nats-server was not ready after {START_S_MAX:.0f} s: {self.tail()}")

    async def _ended(self, process: subprocess.Popen[bytes]) -> bool:
        deadline = self._clock.monotonic() + STOP_S_MAX
        while process.poll() is None:
            if self._clock.monotonic() >= deadline:
                return False
            await self._clock.sleep(POLL_S)
        return True

    async def _end_leftover(self) -> None:
        """End the server of an earlier run that was killed: two on one store would lose facts."""
        try:
            said = json.loads(self._identity_file.read_text(encoding="utf-8"))
            leftover = Identity(said["pid"], said["started"])
        except (FileNotFoundError, ValueError, KeyError):
            return
        for signum in (signal.SIGTERM, signal.SIGKILL):
            leftover.send(signum)
            deadline = self._clock.monotonic() + STOP_S_MAX
            while leftover.is_alive() and self._clock.monotonic() < deadline:
                await self._clock.sleep(POLL_S)
        if leftover.is_alive():
            raise Stop(OUTAGE, f"nats-server (process {leftover.pid}) of an earlier run does not end")


def login_of(folder: Path) -> tuple[str, str, str]:
    """Return url, user and password of the server that another process of ours runs on this folder.

    Raises:
        Stop: There is none, or it is just starting.
    """
    try:
        port = json.loads((folder / "server.json").read_text(encoding="utf-8"))["port"]
        config = (folder / "nats.conf").read_text(encoding="utf-8")
        user, password = (
            json.loads(re.findall(rf"^  {name}: (.+)$", config, re.MULTILINE)[0])
            for name in ("user", "password")
        )
    except (OSError, ValueError, LookupError) as error:
        raise Stop(OUTAGE, f"the broker of {folder.parent} can't be found: {error}") from error
    if not port:
        raise Stop(OUTAGE, f"the broker of {folder.parent} is just starting; try again")
    return f"nats://127.0.0.1:{port}", user, password


def find_binary() -> Path:
    """Return the nats-server of our virtual environment, or the first on PATH.

    Raises:
        Stop: There is none.
    """
    beside = Path(sys.executable).parent / "nats-server"
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise Stop(OUTAGE, "no nats-server: `make setup` brings it, or install it and put it on PATH")
    return Path(found)


def _write_private(path: Path, text: str) -> None:
    """Replace a file at once, readable by its owner only."""
    aside = path.with_name(f"{path.name}.new")
    fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)
    aside.replace(path)


def _text(value: str) -> str:
    """Return a text as nats-server reads it: as it is, but for what would end or escape it."""
    return '"' + re.sub(r'[\x00-\x1f"\\]', lambda found: f"\\x{ord(found[0]):02x}", value) + '"'

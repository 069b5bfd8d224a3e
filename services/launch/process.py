"""Processes by identity: a pid alone may have been given to another program since."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""


@dataclass(frozen=True)
class Identity:
    """A process that cannot be taken for another one.

    Attributes:
        pid: Its number.
        started: When it started, as the system tells it; opaque, compared for equality only.
    """

    pid: int
    started: str

    def is_alive(self) -> bool:
        """Return whether this very process still runs; a zombie does not."""
        return identify(self.pid) == self

    def send(self, signum: signal.Signals) -> None:
        """Send a signal if this very process still runs."""
        if self.is_alive():
            try:
                os.kill(self.pid, signum)
            except ProcessLookupError:
                return


def identify(pid: int) -> Identity | None:
    """Return the identity of a running process, or None when no process has the number or it is a zombie."""
    started = _started_linux(pid) if sys.platform == "linux" else _started_ps(pid)
    return None if started is None else Identity(pid, started)


def _started_linux(pid: int) -> str | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field is the program's name in parentheses, which may hold anything.
    fields = text[text.rindex(")") + 2 :].split()
    state, ticks = fields[0], fields[19]
    return None if state in "ZX" else f"{boot}/{ticks}"


def _started_ps(pid: int) -> str | None:
    done = subprocess.run(
        ["ps", "-o", "state=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    state, _, started = done.stdout.strip().partition(" ")
    return started.strip() or None if state and not state.startswith("Z") else None


_TETHER = f"""
import ctypes, os, signal, sys
parent, program = int(sys.argv[1]), sys.argv[2]
if sys.platform == "linux":
    ctypes.CDLL(None).prctl({_PR_SET_PDEATHSIG}, signal.SIGTERM, 0, 0, 0)
if os.getppid() != parent:
    sys.exit("the parent died first")
os.execv(program, sys.argv[2:])
"""
"""Runs between fork and the program, in a process of its own: nothing of ours runs in a forked copy of us."""


def spawn_tethered(command: Sequence[str], env: Mapping[str, str], cwd: Path) -> subprocess.Popen[bytes]:
    """Start a program that the kernel ends with SIGTERM as soon as we die, however we die.

    The kernel remembers the *thread* that started it, so call this from the main thread. Outside Linux there
    is no such tether, and the next start finds the program by its `Identity`.

    Args:
        command: The program's absolute path and its arguments.
        env: Its whole environment.
        cwd: Its working folder.
    """
    assert threading.current_thread() is threading.main_thread(), "the tether is to the calling thread"
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _TETHER, str(os.getpid()), *command],
        env=dict(env),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        # A Ctrl-C in the terminal is ours to handle: the broker must outlast the drain.
        start_new_session=True,
    )

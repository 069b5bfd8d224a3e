"""Processes by identity: a pid alone may have been given to another program since."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
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


def die_with_parent() -> Callable[[], None] | None:
    """Return a `preexec_fn` that ends the child by SIGTERM as soon as the calling thread's process dies.

    The kernel remembers the *thread* that started the child, so call and spawn from the main thread. Outside
    Linux there is no such thing and None is returned; the next start then finds the child by its identity.
    """
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def arm() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        # The parent may have died before the line above took effect.
        if os.getppid() != parent:
            os._exit(1)

    return arm

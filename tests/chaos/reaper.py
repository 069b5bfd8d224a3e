"""A watchman: when the process that started it has ended, however it did, all that it had started ends too.

It reads lines from standard input: a pid each, as processes start. At the end of the input it kills the group
of each (a process started in a session of its own leads its group), or the process where it leads none.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Reaper:
    """The watchman's employer's side."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.reaper"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def watch(self, pid: int) -> None:
        """Name one more that must not outlive us."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{pid}\n".encode())
            self._process.stdin.flush()

    def finish(self) -> None:
        """End everything now, and return when that is done."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def _started(pid: int) -> str:
    """Return when a process started, as its pid may be given again; empty = it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text[text.rindex(")") + 2 :].split()[19]


def main() -> None:
    """Watch."""
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, signal.SIG_IGN)
    known: dict[int, str] = {}
    for line in sys.stdin:
        known[int(line)] = _started(int(line))
    for pid, started in known.items():
        if started and _started(pid) != started:
            # Ended; children that it left behind may still be in its group.
            started = ""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getpgid(pid) == pid or not started:
                os.killpg(pid, signal.SIGKILL)
            else:
                os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()

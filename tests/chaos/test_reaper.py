"""Nothing outlives a run, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.chaos.reaper import ROOT

RUN = """
import subprocess, sys, time
from tests.chaos.reaper import Reaper

reaper = Reaper()
shell = "sleep 1000 & echo $!; kill -STOP $$; sleep 1000"
parent = subprocess.Popen(["sh", "-c", shell], start_new_session=True, stdout=subprocess.PIPE, text=True)
reaper.watch(parent.pid)
print(parent.pid, parent.stdout.readline().strip(), flush=True)
time.sleep(1000)
"""
"""A run that has started a process, which has a child and was stopped."""


def is_there(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text[text.rindex(")") + 2] not in "ZX"


def test_what_a_run_has_started_ends_with_it_even_when_it_is_killed_and_they_are_stopped() -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", RUN],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    pids = [int(word) for word in run.stdout.readline().split()]
    assert len(pids) == 2
    assert all(map(is_there, pids))
    run.send_signal(signal.SIGKILL)
    run.wait()
    run.stdout.close()
    until = time.monotonic() + 30
    while any(map(is_there, pids)):
        assert time.monotonic() < until, "something is left"
        time.sleep(0.05)

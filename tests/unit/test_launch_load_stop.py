"""Ctrl-C at `paiju load`, in the middle of what a process sends."""

from __future__ import annotations

import fcntl
import os
import pickle
import signal
import struct
import sys
import termios
from multiprocessing.connection import Connection

import pytest

from services.chassis.clock import SystemClock
from services.launch.load import run, worker
from services.launch.load.figures import Figures
from services.launch.load.order import Order
from services.launch.load.worker import Progress

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel what has been read")

TOLD = Progress(arrived=3, present=3, connected=3, actions=0, frames=0, rounds=0, errors=0, wrong=0)


def interrupting(order: Order, job: int, pipe: Connection) -> None:
    """Be a process whose first message is half read when its parent is interrupted."""
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN, "a terminal sends Ctrl-C to all"
    pipe.send("ready")
    pipe.recv()
    message = pickle.dumps(TOLD)
    os.write(pipe.fileno(), struct.pack("!i", len(message)))
    while struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.TIOCOUTQ, bytes(4)))[0]:
        pass
    os.kill(os.getppid(), signal.SIGINT)
    os.write(pipe.fileno(), message)
    assert pipe.recv() == "stop"
    figures = Figures()
    figures.count("arrived", TOLD.arrived)
    pipe.send(figures)


def test_what_was_half_read_is_read_to_its_end_and_the_figures_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "main", interrupting)
    before = signal.getsignal(signal.SIGINT)
    order = Order("http://127.0.0.1:1/", jobs=1)
    figures = run._Processes(order, SystemClock()).measured()
    assert figures.total("arrived") == TOLD.arrived
    assert signal.getsignal(signal.SIGINT) is before

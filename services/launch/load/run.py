"""`paiju load`: start the processes, show how it goes, put together what they measured, and judge."""

from __future__ import annotations

import json
import multiprocessing
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Final

from services.chassis.clock import Clock, SystemClock
from services.launch.exits import NO, OUTAGE, Stop
from services.launch.load import worker
from services.launch.load.figures import Figures
from services.launch.load.order import Order
from services.launch.load.report import report_of, text_of
from services.launch.load.slo import Slo
from services.launch.load.worker import Broken, Progress

LINE_EVERY_S: Final = 10.0
"""Where nobody watches, a line so often."""


def run(order: Order, slos: Sequence[Slo], *, as_json: bool) -> None:
    """Run the test and print what came out.

    Raises:
        Stop: The order can't be carried out (`USAGE`); nobody answers, or nobody could play (`OUTAGE`); a
            transcript is wrong, or a promise was not kept (`NO`).
    """
    order.check_it()
    for url in order.urls:
        _is_anybody_there(url)
    figures = _Processes(order, SystemClock()).measured()
    report = report_of(order, figures, slos)
    print(json.dumps(report, ensure_ascii=False) if as_json else text_of(report))
    if report["generator"]["saturated"] and as_json:
        print("paiju: the generator, or its machine, was saturated", file=sys.stderr)
    if figures.wrong:
        raise Stop(NO, f"{figures.wrong.total()} mistakes in the transcripts, first {figures.examples[0]}")
    if not report["actions"]:
        raise Stop(OUTAGE, f"nobody could play: {report['errors_by_reason'] or report['retries_by_reason']}")
    if missed := [slo["slo"] for slo in report["slos"] if not slo["kept"]]:
        raise Stop(NO, f"not kept: {', '.join(missed)}")


def _is_anybody_there(url: str) -> None:
    try:
        with urllib.request.urlopen(url, timeout=10):
            return
    except urllib.error.HTTPError:
        return  # somebody is, and sends us away; the players will be told why
    except (OSError, ValueError) as error:
        raise Stop(OUTAGE, f"nobody answers at {url}: {error}") from error


class _Processes:
    """The processes of the generator, from their start to their figures."""

    def __init__(self, order: Order, clock: Clock) -> None:
        self._clock = clock
        # Never fork: threads of the parent would be half there.
        context = multiprocessing.get_context("spawn")
        self._running: dict[Connection, Progress | None] = {}
        self._processes = []
        # A terminal sends Ctrl-C to all; they are told by us, and never see it, not even while they start.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for job in range(order.jobs):
            here, there = context.Pipe()
            process = context.Process(target=worker.main, args=(order, job, there), daemon=True)
            process.start()
            there.close()
            self._running[here] = None
            self._processes.append(process)
        signal.signal(signal.SIGINT, before)
        self._told: dict[Connection, Progress] = {}
        self._shown_at = 0.0
        self._is_stopping = False
        self._is_watched = sys.stderr.isatty()

    def measured(self) -> Figures:
        """Run them to their end; the first Ctrl-C has them end soon, the second ends this at once."""
        before = signal.signal(signal.SIGINT, self._on_ctrl_c)
        try:
            for pipe in self._running:
                self._received(pipe)
            for pipe in self._running:
                pipe.send("go")
            return self._collected()
        finally:
            signal.signal(signal.SIGINT, before)
            for process in self._processes:
                process.terminate()

    def _on_ctrl_c(self, *_: object) -> None:
        # An exception could fall into the middle of what a process sends: nothing could be read after it.
        if self._is_stopping:
            raise KeyboardInterrupt
        self._is_stopping = True

    def _collected(self) -> Figures:
        whole = Figures()
        open_ = list(self._running)
        is_told = False
        while open_:
            if self._is_stopping and not is_told:
                is_told = True
                for pipe in open_:
                    with suppress(OSError):  # its figures are on their way, and it is gone
                        pipe.send("stop")
            for heard in wait(open_, 1.0):
                assert isinstance(heard, Connection)
                said = self._received(heard)
                if isinstance(said, Progress):
                    self._told[heard] = said
                elif isinstance(said, Figures):
                    whole.add(said)
                    open_.remove(heard)
            self._show()
        if self._is_watched:
            print(file=sys.stderr)
        return whole

    def _received(self, pipe: Connection) -> object:
        try:
            said = pipe.recv()
        except EOFError as error:
            raise Stop(OUTAGE, "a process of the generator was killed") from error
        if isinstance(said, Broken):
            print(said.traceback, file=sys.stderr)
            raise Stop(OUTAGE, f"the generator broke: {said.why}")
        return said

    def _show(self) -> None:
        now = self._clock.monotonic()
        if not self._told or now - self._shown_at < (0.5 if self._is_watched else LINE_EVERY_S):
            return
        self._shown_at = now
        told = self._told.values()
        line = ", ".join(
            f"{sum(getattr(said, name) for said in told)} {name}"
            for name in ("arrived", "present", "connected", "actions", "frames", "rounds", "errors", "wrong")
        )
        print(
            f"\r\033[K{line}" if self._is_watched else line,
            end="" if self._is_watched else "\n",
            file=sys.stderr,
            flush=True,
        )

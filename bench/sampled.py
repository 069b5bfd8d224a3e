"""`paiju` under a sampling profiler: where each millisecond of processor time finds the main thread.

    python -m bench.sampled OUT serve table

SIGPROF counts processor time alone, so waiting costs nothing, and a sample costs a few microseconds however
many calls lie between two: unlike a tracing profiler it does not make small functions look dear. SIGUSR1
throws away what was sampled so far, SIGUSR2 writes it as JSON: stack → count.
"""

from __future__ import annotations

import json
import runpy
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

EVERY_S = 0.001
DEPTH_MAX = 40


class Sampler:
    """Counts stacks, innermost function first."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._stacks: Counter[str] = Counter()

    def start(self) -> None:
        """Sample from now on."""
        signal.signal(signal.SIGPROF, self._sample)
        signal.signal(signal.SIGUSR1, self._clear)
        signal.signal(signal.SIGUSR2, self._write)
        signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)

    def _sample(self, _: int, frame: FrameType | None) -> None:
        stack: list[str] = []
        while frame is not None and len(stack) < DEPTH_MAX:
            code = frame.f_code
            stack.append(f"{code.co_filename}:{code.co_qualname}:{frame.f_lineno}")
            frame = frame.f_back
        self._stacks["\n".join(stack)] += 1

    def _clear(self, *_: object) -> None:
        self._stacks.clear()

    def _write(self, *_: object) -> None:
        self._out.write_text(json.dumps(self._stacks))


def main() -> None:
    """Run the command under the sampler."""
    out, *arguments = sys.argv[1:]
    Sampler(Path(out)).start()
    sys.argv[1:] = arguments
    runpy.run_module("services.launch", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()

"""What a failed world says: which invariant was broken, or that something else went wrong."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from services.chassis.clock import Stuck

HERE = Path(__file__).parent
SIMULATION = HERE.parent

WAITS = "waits-for-ever"
CRASH = "crash"
"""No invariant: the world or the patch itself broke."""

INVARIANTS = {
    "acknowledged-is-logged": r"was acknowledged to .* and is not in the log",
    "logged-as-acknowledged": r"is in the log as ",
    "only-what-was-said": r"never said ",
    "answered-once": r"was answered twice",
    "created-once": r"was created twice",
    "owner-is-the-log": r"the owner of .* does not have what its log says",
    "frame-is-logged": r"saw frame \d+ differently",
    "one-content-per-frame": r"frame \d+ of .* had two contents",
    "view-is-the-fold": r"view \d+ of .* is not the fold",
    "question-fits-events": r"question .* is not what the events say",
    "legal-is-accepted": r"^\S.* to number: \d+.*: [A-Z_]+$",
    "repeat-gets-first-answer": r"was accepted, and is now ",
    "one-content-per-round": r"has two contents",
    "audits-agree": r"/\d+: \[",
    "coins-are-conserved": r"makes or loses coins",
    "no-defect": r"a consumer met a defect",
    "book-is-right": r"the book is wrong",
}
"""Key → what its message looks like; the first that fits names a failure."""


@dataclass(frozen=True)
class Verdict:
    """Why a world failed."""

    invariant: str
    message: str

    @property
    def is_crash(self) -> bool:
        """Whether nothing but a broken program speaks here."""
        return self.invariant == CRASH


def verdict_of(error: BaseException) -> Verdict:
    """Return what the exception that ended a world says; an invariant among several comes first."""
    verdicts = [_verdict(leaf) for leaf in _leaves(error)]
    return next((verdict for verdict in verdicts if not verdict.is_crash), verdicts[0])


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _verdict(error: BaseException) -> Verdict:
    text = " ".join(str(error).split())
    if isinstance(error, TimeoutError | Stuck):
        return Verdict(WAITS, text or "somebody waits for ever")
    if isinstance(error, AssertionError) and _is_judged(error):
        for key, pattern in INVARIANTS.items():
            if re.search(pattern, text):
                return Verdict(key, text[:300])
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return Verdict(CRASH, f"{type(error).__name__}: {text} ({Path(frame.filename).name}:{frame.lineno})"[:300])


def _is_judged(error: BaseException) -> bool:
    """Say whether an assertion was made by the simulation, not by the code it runs or by a mutant."""
    where = Path(traceback.extract_tb(error.__traceback__)[-1].filename).parent
    return where != HERE and where.is_relative_to(SIMULATION)

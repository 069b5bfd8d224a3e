"""What a failed world says: which invariant was broken, or that something else went wrong."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.chassis.clock import Stuck
from tests.simulation.client import Violation

SIMULATION: Final = Path(__file__).parents[1]

WAITS: Final = "nobody-waits-for-ever"
CRASH: Final = "crash"
"""No invariant: the world or the patch itself broke."""

INVARIANTS: Final = {
    WAITS: r"waits for (ever|a time-out)|^no answer to ",
    "created-once": r"was created twice",
    "answered-once": r"was answered twice",
    "never-frozen": r"was frozen: ",
    "refused-is-not-played": r"was refused to .* and (was played|the log has it open)",
    "nothing-comes-first": r"is opened before all |is dealt (without|before) |is ended by a vote",
    "not-late": r"answered for too late|stands still for",
    "records-are-kept": r"^records are kept of ",
    "presence-is-right": r"is said to be (away|there)",
    "newest-has-the-seat": r"two devices of |another device has his seat|can't listen on a second device",
    "acknowledged-is-logged": r"was acknowledged to .* and the log has ",
    "only-what-was-said": r" never said ",
    "one-content-per-frame": r"frame \d+ of .* had two contents",
    "frame-is-logged": (
        r"is shown (frame|view|a table) .*in no log|which never was in|was shown frame \d+ as "
    ),
    "no-gap": r"had frame \d+ and got ",
    "all-is-seen": r"has seen \d+ frames of ",
    "view-is-not-older": r"had seen frame \d+ and is shown view ",
    "view-is-the-fold": (
        r"view \d+ of .* is not the fold|a view that is not the fold|is shown the view of seat "
    ),
    "question-fits-events": r"question .* is not what the events say",
    "secrecy": r"was told what is not for it|is shown frame \d+ too early",
    "resumed-is-told": r"was not told that its table resumed",
    "time-outs-in-time": r"ran out of time too early",
    "time-goes-on": r"the time of shard .* goes back",
    "owner-is-the-log": r"does not have what its log says",
    "somebody-owns": r"nobody owns ",
    "fenced-writers": r"appends without a fence",
    "one-seat-at-a-time": r"sits at .* at the same time",
    "published-is-logged": r"is published, and is in no log",
    "settled-before-next": r"is opened before .* is settled",
    "one-content-per-fact": r" with two contents",
    "committed-first": r"its commitment was never published",
    "seed-is-committed": r"the seed is not the one that was committed to",
    "audits-agree": r" is disputed: ",
    "settled-in-order": r"is settled (behind|before) ",
    "coins-are-conserved": r"makes or loses coins",
    "rooms-are-paid-for": r" room cards, paid |^paid for: | has cost .*, and should have cost ",
    "wallet-is-right": r" has .*, and should have ",
    "stakes-are-closed": r"stakes are left",
    "fees-are-the-rounds'": r"of fees, and rounds have paid",
    "book-is-right": r"the book is wrong",
    "tickets-end": r"left open: |tables of matchmaking: |was matched with .* no seat",
    "matchmaking-keeps-its-word": r"gets no (ticket|room)|can't be cancelled|^ticket .* is |^room ",
    "no-defect": r"a consumer met a defect|crashed of itself",
    "repeat-gets-first-answer": r"was accepted, and is now ",
    "legal-is-accepted": r" to number: \d+.*: [A-Z_]+$|a command is refused: |^[A-Z_]+$",
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
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = Path(frame.filename).parent
    if isinstance(error, AssertionError) and (where == SIMULATION or isinstance(error, Violation)):
        # Said by the simulation, not by the code it runs or by a mutant.
        for key, pattern in INVARIANTS.items():
            if re.search(pattern, text):
                return Verdict(key, text[:300])
    return Verdict(
        CRASH, f"{type(error).__name__}: {text[:200]} ({Path(frame.filename).name}:{frame.lineno})"
    )

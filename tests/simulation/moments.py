"""When things happen: nobody's time runs out early, and nothing is late once the world has healed.

Clocks of owners are judged by the time that has truly passed, which only the world knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from services.table.core import events as e
from services.table.core.table import Table
from services.table.journal import STALL_S
from services.table.tables import LOOK_S, STALL_GRACE_MS, STOOD_STILL_S
from tests.simulation.client import Violation
from tests.simulation.processes import ProcessClock

LATE_S: Final = 2.0
"""In a sound world whatever is due is done within so long."""
HAND_OVER_S: Final = 1.0
"""A shard that is handed over is served again within so long."""
TAKE_OVER_S: Final = 5.0
"""The same of a shard whose owner was killed."""


@dataclass(slots=True)
class _Asked:
    """A question as it came into the log."""

    number: int
    stored_s: float
    at_ms: int
    is_calm: bool


class Moments:
    """See the module; a contradiction is a `Violation`.

    Told of every event of the logs: `before` it is folded, and `after`.
    """

    def __init__(self) -> None:
        self.is_calm = False
        """Nothing goes wrong any more, and what has gone wrong is over."""
        self._asked: dict[tuple[str, int], _Asked] = {}
        """By table and seat, unless another owner has taken over since."""
        self._free_since: dict[str, float] = {}
        self._dead_since: dict[str, float] = {}
        self._taken_at: dict[str, float] = {}
        self._fast_s: dict[str, float] = {}
        """By shard: how far its owner's clock is behind, by the event that was stored soonest."""

    def true_s(self, shard: str, at_ms: int) -> float:
        """Return when it truly was that time by the clock of a shard's owner, or later."""
        return at_ms / 1000 + self._fast_s.get(shard, float("-inf"))

    def died(self, shard: str, now: float) -> None:
        """The owner of a shard was killed."""
        self._dead_since[shard] = now

    def before(self, shard: str, table_id: str, event: e.AnyEvent, table: Table | None, now: float) -> None:
        """See the class."""
        if isinstance(event, e.Answered) and event.cause in ("timeout", "bot") and table is not None:
            self._answered(table_id, event, table, now)
        elif isinstance(event, e.ShardReleased) and self.is_calm:
            self._free_since[shard] = now
        elif isinstance(event, e.ShardTaken):
            self._taken(shard, now)
            self._fast_s[shard] = float("inf")
            self._taken_at[shard] = now
        self._fast_s[shard] = min(self._fast_s[shard], now - event.at / 1000)

    def after(self, shard: str, table_id: str, event: e.AnyEvent, table: Table | None, now: float) -> None:
        """See the class."""
        if isinstance(event, e.ShardTaken | e.ShardStalled):
            # From here on grace is what counts, and that is judged by the log's own times.
            for key in [key for key in self._asked if key[0].startswith(f"{shard}-")]:
                self._asked[key].stored_s = float("inf")
        elif table is not None:
            for seat, question in enumerate(table.questions):
                if question is None:
                    continue
                known = self._asked.get((table_id, seat))
                if known is None or known.number != question.number:
                    self._asked[table_id, seat] = _Asked(question.number, now, event.at, self.is_calm)

    def judge_standing(self, shard: str, event: e.Answered, clock: ProcessClock) -> None:
        """Nobody's time runs out while his owner, whose clock this is, stands still, nor at once after it."""
        stood_s = clock.went_on_s - clock.stopped_s
        decided_s = self.true_s(shard, event.at) - clock.went_on_s
        is_owner_since = self._taken_at.get(shard, float("inf")) < clock.stopped_s
        is_soon = -1.0 < decided_s < STALL_GRACE_MS / 1000 - STALL_S
        if is_owner_since and stood_s > LOOK_S + STOOD_STILL_S and is_soon:
            raise Violation(
                f"a seat of shard {shard} ran out of time too early: its owner stood still {stood_s:.1f} s"
            )

    def late(self, now: float) -> None:
        """Look whether a shard has no owner for too long."""
        for shard in [*self._free_since, *self._dead_since]:
            self._check(shard, now)

    def _taken(self, shard: str, now: float) -> None:
        self._check(shard, now)
        self._free_since.pop(shard, None)
        self._dead_since.pop(shard, None)

    def _check(self, shard: str, now: float) -> None:
        free_s = now - self._free_since.get(shard, now)
        dead_s = now - self._dead_since.get(shard, now)
        if dead_s > TAKE_OVER_S:
            raise Violation(f"shard {shard} stands still for {dead_s:.1f} s since its owner was killed")
        if free_s > HAND_OVER_S and shard not in self._dead_since:
            raise Violation(f"shard {shard} stands still for {free_s:.1f} s since it was handed over")

    def _answered(self, table_id: str, event: e.Answered, table: Table, now: float) -> None:
        asked, question = self._asked.get((table_id, event.seat)), table.questions[event.seat]
        if asked is None or question is None or asked.number != question.number:
            return
        passed_s = now - asked.stored_s
        if event.cause == "timeout":
            due_s = (question.deadline - asked.at_ms) / 1000
            # It may have been decided some time before it was stored; a longer time is granted again.
            if 0 <= passed_s < min(due_s - STALL_S, STALL_GRACE_MS / 1000):
                raise Violation(
                    f"seat {event.seat} of {table_id} ran out of time too early: "
                    f"after {passed_s:.1f} s, of {due_s:.1f} s"
                )
        else:
            due_s = (question.shown_at - asked.at_ms + table.s.spec.timing.claim_pause_ms) / 1000
        if asked.is_calm and self.is_calm and passed_s > due_s + LATE_S:
            raise Violation(
                f"seat {event.seat} of {table_id} was answered for too late: "
                f"after {passed_s:.1f} s, and {due_s:.1f} s were due"
            )

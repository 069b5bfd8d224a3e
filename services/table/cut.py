"""What becomes of matches whose log has lost its end: docs/adr/0013-what-may-be-lost.md.

People have seen cards and money has moved that the log knows nothing of any more, so no match goes on from
there: the open round is void, the match is over, the stakes go back. What was settled stays settled.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from paiju.table.v1.events_pb2 import RoundVoided

from services.chassis import log
from services.table.core import events as e
from services.table.core.table import Table
from services.table.tables import Tables

REASON = "LOG_CUT"

_log = log.get(service="table")


def end_matches(tables: Tables) -> list[RoundVoided]:
    """End every match that is not over; return the voids of rounds that were opened later, if any were.

    A disputed match keeps its stakes and waits for a person, as before.
    """
    voids = []
    for table_id, table in sorted(tables.live.items()):
        state = table.s
        if state.phase == "finished" or (state.is_disputed and state.phase == "between"):
            continue
        round_ = state.round
        if not state.frozen and round_ is not None and not round_.ended_at:
            tables.do(table_id, (e.RoundVoided(tables.now(), round_.no, REASON),))
        if not state.closing:
            tables.do(table_id, (e.CloseAsked(tables.now(), REASON),))
        voids.append(_void_of_next(tables.live[table_id], tables.now()))
    return voids


async def publish_all(
    voids: list[RoundVoided], publish: Callable[[RoundVoided, str], Awaitable[object]]
) -> None:
    """Say of the rounds that may have been opened in the lost part that they are void.

    Their seeds are lost with the log. If scoring has judged one already, that word was first, and holds.

    Raises:
        Outage: Not all are told; tell all again.
    """
    for void in voids:
        await publish(void, f"voided:{void.round_id}")
    if voids:
        _log.error("log_cut_told", rounds=len(voids))


def _void_of_next(table: Table, now: int) -> RoundVoided:
    state = table.s
    number = state.round.no + 1 if state.round is not None else 1
    return RoundVoided(
        round_id=f"{state.table_id}/{number}",
        match_id=state.table_id,
        round_no=number,
        game=state.spec.game,
        reason=REASON,
        voided_at_ms=now,
    )

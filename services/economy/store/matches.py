"""Holding matches: whoever changes stakes or rounds of a match locks its row first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select

from services.economy.store import schema
from services.economy.store.bulk import among, insert_rows, update_rows

_HELD = select(schema.matches.c.match_id, schema.matches.c.next_round_no, schema.matches.c.suspended)


class HeldMatch:
    """A match whose row this transaction has locked."""

    __slots__ = ("changed", "match_id", "next_round_no", "suspended")

    def __init__(self, match_id: str, next_round_no: int, suspended: bool) -> None:
        self.match_id = match_id
        self.next_round_no = next_round_no
        self.suspended = suspended
        self.changed = False

    def move_to(self, next_round_no: int) -> None:
        """All rounds before `next_round_no` are done."""
        self.changed = self.changed or next_round_no != self.next_round_no
        self.next_round_no = next_round_no

    def suspend(self) -> None:
        """A person has to look at this match."""
        self.changed = self.changed or not self.suspended
        self.suspended = True


def hold_matches(connection: Connection, match_ids: Iterable[str]) -> dict[str, HeldMatch]:
    """Lock matches until the transaction ends, in one order, making those not heard of yet."""
    wanted = sorted(set(match_ids))
    held = _load(connection, wanted)
    absent = [match_id for match_id in wanted if match_id not in held]
    if absent:
        insert_rows(
            connection,
            schema.matches,
            [{"match_id": match_id, "next_round_no": 1, "suspended": False} for match_id in absent],
            or_keep=True,
        )
        held.update(_load(connection, absent))
    return held


def end_matches(connection: Connection, ended: Sequence[tuple[str, int, int]]) -> None:
    """Note that matches are over: (match id, last round that was opened, Unix milliseconds) each.

    Closing their stakes is asked for by the tables; this is for the reconciler to see who was forgotten.
    """
    rows = [
        {"match_id": match_id, "last_round_no": last_round_no, "ended_at_ms": ended_at_ms}
        for match_id, last_round_no, ended_at_ms in ended
    ]
    hold_matches(connection, (match_id for match_id, _, _ in ended))
    update_rows(connection, schema.matches, ("match_id",), rows)


def save_matches(connection: Connection, held: dict[str, HeldMatch]) -> None:
    """Write what has changed."""
    rows = [
        {
            "match_id": match.match_id,
            "next_round_no": match.next_round_no,
            "suspended": match.suspended,
        }
        for match in held.values()
        if match.changed
    ]
    update_rows(connection, schema.matches, ("match_id",), rows)


def _load(connection: Connection, match_ids: list[str]) -> dict[str, HeldMatch]:
    query = _HELD.where(among(connection, schema.matches.c.match_id, match_ids)).order_by(
        schema.matches.c.match_id
    )
    return {
        row.match_id: HeldMatch(row.match_id, row.next_round_no, row.suspended)
        for row in connection.execute(query.with_for_update())
    }

"""What anticheat hears: finished rounds (how people answered) and audits (how they fared)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from google.protobuf.message import Message
from paiju.scoring.v1 import events_pb2 as scoring_events
from paiju.table.v1 import events_pb2 as table_events
from sqlalchemy import Connection

from services.anticheat import store
from services.anticheat.core.counts import SeatResult, of_audit
from services.anticheat.core.observe import observe
from services.chassis.bus import Delivery
from services.chassis.db import Database
from services.chassis.run import Consumes

OBSERVED = Consumes("anticheat-rounds", (table_events.RoundFinished,))
AUDITED = Consumes("anticheat-audits", (scoring_events.RoundAudited,))
BATCH = 64


class Ears:
    """The handlers of both consumers."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def rounds_finished(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Count how the people of each round answered, once per round."""
        rounds = [cast("table_events.RoundFinished", delivery.message) for delivery in deliveries]
        observed = [(finished.round_id, observe(finished.record)) for finished in rounds]

        def write(connection: Connection) -> None:
            for round_id, counts in observed:
                store.count_once(connection, round_id, "observed", counts)

        await self._db.run(write)

    async def rounds_audited(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Count how the people of each round fared, once per round."""

        def write(connection: Connection) -> None:
            for delivery in deliveries:
                audit = cast("scoring_events.RoundAudited", delivery.message)
                agreed = audit.verdict == scoring_events.VERDICT_AGREED
                seats = [SeatResult(s.player_id, s.is_bot, s.points, s.won) for s in audit.seats]
                player_counts, pair_counts = of_audit(seats, audit.from_seat, agreed)
                store.count_once(connection, audit.round_id, "audited", player_counts, pair_counts)

        await self._db.run(write)

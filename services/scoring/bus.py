"""Events in: rounds opened, finished, voided. Out: RoundAudited, through the outbox."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from google.protobuf.message import Message
from paiju.scoring.v1.events_pb2 import VERDICT_AGREED
from paiju.table.v1.events_pb2 import RoundFinished, RoundOpened, RoundVoided

from services.chassis import log
from services.chassis.bus.port import Delivery
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage
from services.chassis.metrics import Metrics
from services.chassis.outbox import Outbox
from services.chassis.run import Consumes
from services.scoring import store
from services.scoring.core import deal
from services.scoring.settings import ScoringSettings
from services.scoring.verdicts import Question, judge
from services.scoring.workers import Workers

ROUNDS: Final = Consumes("scoring", (RoundOpened, RoundFinished, RoundVoided))
OPENING_ATTEMPTS_MIN: Final = 3
"""A finished round is tried so often before it is audited without what is missing, whatever clocks say."""


class Ears:
    """The handler of scoring's consumer."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        settings: ScoringSettings,
        workers: Workers,
        outbox: Outbox,
        metrics: Metrics,
    ) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._workers = workers
        self._outbox = outbox
        self._log = log.get(service="scoring")
        audits = metrics.counter("scoring_audits", "Audited rounds by verdict", ["verdict"])
        self._agreed, self._disputed = audits.labels("agreed"), audits.labels("disputed")
        self._alerts = metrics.counter("scoring_alerts", "Second words about a round that differ", ["kind"])
        self._waiting = metrics.gauge(
            "scoring_waiting", "Matches with a finished round that waits for what comes before it"
        )
        self._seconds = metrics.histogram("scoring_audit_seconds", "Duration of one audit")

    async def on_rounds(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Keep openings, audit what is finished, in the order of the stream.

        Raises:
            Outage: A round waits for its opening or for the round before; everything comes again, and what is
                done is known as such.
        """
        opened = [_opening(one) for one in deliveries if isinstance(one.message, RoundOpened)]
        finished = [(one, one.message) for one in deliveries if isinstance(one.message, RoundFinished)]
        voided = [one.message for one in deliveries if isinstance(one.message, RoundVoided)]
        ids = {one.round_id for one in opened} | {message.round_id for _, message in finished}
        ids |= {message.round_id for message in voided}
        ids |= {_round_before(message) for _, message in finished}
        known = await self._db.read(lambda connection: store.load(connection, ids))
        alerts: list[store.Alert] = []
        for opening in opened:
            first = known.openings.setdefault(opening.round_id, opening)
            if (first.commitment, first.nonce_heads) != (opening.commitment, opening.nonce_heads):
                alerts.append(store.Alert(opening.round_id, "opening", _sha256(opening)))
        for message in voided:
            known.voids.add(message.round_id)
            alerts.extend(_alerts_of_void(message, known.openings.get(message.round_id)))
        voids = [message.round_id for message in voided]
        audited, waiting = await self._audit(finished, known, alerts)
        now_ms = self._clock.now_ms()
        new = await self._db.run(
            lambda connection: store.keep(connection, opened, voids, audited, alerts, now_ms)
        )
        self._outbox.poke()
        self._count(new, alerts)
        self._waiting.set(waiting)
        if waiting:
            raise Outage(f"{waiting} matches wait for an opening or an earlier round")

    async def _audit(
        self,
        finished: Sequence[tuple[Delivery[Message], RoundFinished]],
        known: store.Known,
        alerts: list[store.Alert],
    ) -> tuple[list[store.Audit], int]:
        """Return the new audits, and how many rounds must wait."""
        audited: list[store.Audit] = []
        held: set[str] = set()
        for delivery, message in finished:
            first = known.audits.get(message.round_id)
            if first is not None:
                sha256 = hashlib.sha256(message.record).digest()
                if first.message.record_sha256 != sha256:
                    alerts.append(store.Alert(message.round_id, "record", sha256))
                continue
            opening = known.openings.get(message.round_id)
            # Dealer and nonces follow from the round before: out of turn they could not be checked.
            is_complete = opening is not None and _is_next(message, known)
            if message.match_id in held or (not is_complete and self._may_still_come(delivery)):
                held.add(message.match_id)
                continue
            question = Question(message, delivery.at_ms, opening, known.audits.get(_round_before(message)))
            began = self._clock.monotonic()
            audit = await self._workers.run(judge, question)
            self._seconds.observe(self._clock.monotonic() - began)
            known.audits[message.round_id] = audit
            audited.append(audit)
        return audited, len(held)

    def _may_still_come(self, delivery: Delivery[Message]) -> bool:
        age_ms = self._clock.now_ms() - delivery.at_ms
        return age_ms < self._settings.opening_wait_ms or delivery.attempt < OPENING_ATTEMPTS_MIN

    def _count(self, audited: Sequence[store.Audit], alerts: Sequence[store.Alert]) -> None:
        for audit in audited:
            message = audit.message
            if message.verdict == VERDICT_AGREED:
                self._agreed.inc()
                continue
            self._disputed.inc()
            self._log.error(
                "round_disputed",
                round_id=message.round_id,
                fields=[difference.field for difference in message.differences][:10],
            )
        for alert in alerts:
            self._alerts.labels(alert.kind).inc()
            self._log.error("round_contradicted", round_id=alert.round_id, kind=alert.kind)


def _opening(delivery: Delivery[Message]) -> store.Opening:
    message = delivery.message
    assert isinstance(message, RoundOpened)
    return store.Opening(message.round_id, message.commitment, tuple(message.nonce_heads), delivery.at_ms)


def _is_next(message: RoundFinished, known: store.Known) -> bool:
    before = _round_before(message)
    return message.round_no == 1 or before in known.audits or before in known.voids


def _alerts_of_void(message: RoundVoided, opening: store.Opening | None) -> list[store.Alert]:
    """Return what is wrong with the seed that a voided round reveals."""
    if opening is None or (
        len(message.seed) == deal.SECRET_BYTES
        and deal.commitment_of(message.round_id, message.seed) == opening.commitment
    ):
        return []
    return [store.Alert(message.round_id, "void_seed", hashlib.sha256(message.seed).digest())]


def _round_before(message: RoundFinished) -> str:
    return f"{message.match_id}/{message.round_no - 1}"


def _sha256(opening: store.Opening) -> bytes:
    return hashlib.sha256(opening.commitment + b"".join(opening.nonce_heads)).digest()

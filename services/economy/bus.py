"""Events in: players to welcome, rounds to settle. Out: the outbox, and word to whose wallet changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from google.protobuf.message import Message
from paiju.accounts.v1.events_pb2 import PlayerCreated
from paiju.gateway.v1.gateway_service_pb2 import Notice
from paiju.scoring.v1.events_pb2 import RoundAudited
from paiju.table.v1.events_pb2 import MatchFinished, RoundVoided

from services.chassis import log
from services.chassis.bus import subject_of
from services.chassis.bus.port import Bus, Delivery
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage
from services.chassis.metrics import Metrics
from services.chassis.outbox import Outbox
from services.chassis.run import Consumes
from services.economy.core.rounds import RoundFact
from services.economy.settings import EconomySettings
from services.economy.store import disputes, facts, wallets
from services.economy.store.matches import end_matches
from services.economy.store.rounds import Heard, hear

PLAYERS: Final = Consumes("economy-players", (PlayerCreated,))
AUDITS: Final = Consumes("economy-settlement", (RoundAudited,))
MATCHES: Final = Consumes("economy-matches", (MatchFinished,))
VOIDS: Final = Consumes("economy-voids", (RoundVoided,))


class Tellers:
    """What goes out after a transaction: the outbox is woken, players hear of their wallets."""

    def __init__(self, db: Database, bus: Bus, outbox: Outbox) -> None:
        self._db = db
        self._bus = bus
        self._outbox = outbox

    def poke(self) -> None:
        """Say that events were committed."""
        self._outbox.poke()

    async def tell_wallets(self, player_ids: Iterable[str]) -> None:
        """Tell players what is in their wallets now; lost if nobody listens, or the world fails."""
        wanted = sorted(set(player_ids))
        if not wanted:
            return
        try:
            found = await self._db.read(lambda connection: wallets.wallets_of(connection, wanted))
            for player_id, wallet in found.items():
                notice = Notice(wallet=wallet)
                await self._bus.tell(subject_of(Notice, key=player_id), notice.SerializeToString())
        except Outage:
            log.get(service="economy").warning("wallets_not_told", players=len(wanted))


class Ears:
    """The handlers of economy's consumers."""

    def __init__(
        self, db: Database, clock: Clock, settings: EconomySettings, tellers: Tellers, metrics: Metrics
    ) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._tellers = tellers
        self._log = log.get(service="economy")
        results = metrics.counter("economy_rounds", "Rounds by what became of their money", ["result"])
        self._settled = results.labels("settled")
        self._voided = results.labels("voided")
        self._disputed = results.labels("disputed")
        self._alerts = metrics.counter(
            "economy_alerts", "Second words about a round that contradict the first", ["kind"]
        )
        self._open = metrics.gauge("economy_disputes_open", "Disputed rounds that wait for a person")
        self._unseen = metrics.gauge("economy_alerts_open", "Contradictions that nobody has looked at")
        self._welcomed = metrics.counter("economy_welcome_grants", "Welcome grants paid")
        self._seconds = metrics.histogram("economy_settle_seconds", "Duration of a batch of settlements")

    async def on_players(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Grant the welcome gold and room cards to players that may have them, once each."""
        welcomed = [
            one.message.player_id
            for one in deliveries
            if isinstance(one.message, PlayerCreated) and one.message.welcome
        ]
        now_ms = self._clock.now_ms()
        gifts = (
            ("", "gold", self._settings.welcome_gold),
            ("/room_card", "room_card", self._settings.welcome_room_cards),
        )
        grants = [
            (f"welcome/{player_id}{key}", "welcome", player_id, currency, amount, "")
            for player_id in sorted(set(welcomed))
            for key, currency, amount in gifts
            if amount
        ]
        if not grants:
            return
        posted = set(await self._db.run(lambda connection: wallets.welcome_many(connection, grants, now_ms)))
        self._welcomed.inc(len(posted))
        await self._tellers.tell_wallets(posted)

    async def on_audits(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Settle what was audited, in order of the rounds of each match."""
        await self._hear(
            [facts.from_audited(one.message) for one in deliveries if isinstance(one.message, RoundAudited)]
        )

    async def on_voids(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Note rounds that will never be played to their end."""
        await self._hear(
            [facts.from_voided(one.message) for one in deliveries if isinstance(one.message, RoundVoided)]
        )

    async def on_matches(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Note which matches are over, for the reconciler."""
        ended = {
            one.message.match_id: (
                one.message.match_id,
                one.message.last_round_no,
                one.message.finished_at_ms,
            )
            for one in deliveries
            if isinstance(one.message, MatchFinished)
        }
        await self._db.run(lambda connection: end_matches(connection, list(ended.values())))

    async def _hear(self, batch: Sequence[RoundFact]) -> None:
        now_ms, began = self._clock.now_ms(), self._clock.monotonic()
        heard = await self._db.run(lambda connection: hear(connection, batch, now_ms))
        self._seconds.observe(self._clock.monotonic() - began)
        await self.tell(heard)
        if heard.disputed or heard.alerts:
            await self.count_open()

    async def tell(self, heard: Heard) -> None:
        """Say what a transaction over rounds came to: facts, figures, notices."""
        self._tellers.poke()
        self._count(heard)
        await self._tellers.tell_wallets(heard.players)

    async def count_open(self) -> None:
        """Show how much waits for a person."""
        try:
            open_disputes, open_alerts = await self._db.read(disputes.count_open)
        except Outage:
            return
        self._open.set(open_disputes)
        self._unseen.set(open_alerts)

    def _count(self, heard: Heard) -> None:
        self._settled.inc(heard.settled)
        self._voided.inc(heard.voided)
        for round_id, cause in heard.disputed:
            self._disputed.inc()
            self._log.error("round_disputed", round_id=round_id, cause=cause)
        for round_id, kind in heard.alerts:
            self._alerts.labels(kind).inc()
            self._log.error("round_contradicted", round_id=round_id, kind=kind)

"""The desk of top-ups: orders made, payments taken in, money given back; between book and provider."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from paiju.accounts.v1.protection_service_pb2 import CheckSpendRequest
from paiju.accounts.v1.protection_service_pb2_grpc import ProtectionServiceStub
from sqlalchemy import Row

from services.chassis import log
from services.chassis.auth import Staff
from services.chassis.clock import Clock
from services.chassis.days import clock_text, month_began_at
from services.chassis.db import Database
from services.chassis.errors import Outage, Refusal
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics
from services.economy.bus import Tellers
from services.economy.core.topup_payments import Purchase, RefundAsked
from services.economy.core.topup_products import Catalogue, History, Product, parse_catalogue
from services.economy.providers.port import PaymentProvider
from services.economy.settings import EconomySettings
from services.economy.store import (
    topup_desk,
    topup_exchange,
    topup_orders,
    topup_payments,
    topup_refunds,
    topup_waivers,
)
from services.economy.store.ledger import Posted
from services.economy.store.topup_payments import Taken

SHIPPED: Final = Path(__file__).with_name("topup_products.json")
"""What is sold unless the operator says otherwise."""

BODY_BYTES_MAX: Final = 64 * 1024
HEADERS_BYTES_MAX: Final = 8 * 1024
TURNS_MAX: Final = 3
"""So often an order is checked anew while its player makes others at the same moment."""

_log = log.get(service="economy")


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a player is offered."""

    history: History
    owed_gems: int
    now_ms: int


class TopUps:
    """Everything about bought gems, but for their wire.

    Args:
        provider: Who takes the money; None: nothing can be bought here.
        protection: Says whether a player may spend.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        ids: Ids,
        settings: EconomySettings,
        provider: PaymentProvider | None,
        catalogue: Catalogue,
        protection: ProtectionServiceStub,
        tellers: Tellers,
        metrics: Metrics,
    ) -> None:
        self.provider = provider
        self.catalogue = catalogue
        self._db = db
        self._clock = clock
        self._ids = ids
        self._settings = settings
        self._protection = protection
        self._tellers = tellers
        self._taken = metrics.counter(
            "economy_topup_events", "What providers said, by what became of it", ["outcome"]
        )
        self._problems = metrics.gauge("economy_topup_problems_open", "Payments that wait for a person")

    async def shelf(self, player_id: str) -> Shelf:
        """Return what decides what a player is offered."""
        history, owed = await self._db.read(
            lambda connection: (
                topup_orders.history_of(connection, player_id),
                topup_orders.owed_by(connection, player_id),
            )
        )
        return Shelf(history, owed, self._clock.now_ms())

    async def order(self, player_id: str, request_id: str, product_id: str) -> Row[Any]:
        """Order a product, and return the order; a repeat returns the same, wherever it is now.

        Raises:
            Refusal: TOPUP_CLOSED, PRODUCT_UNKNOWN, TOO_MANY_ORDERS, REQUEST_ID_REUSED; protection's reasons.
            Outage: Protection or the provider can't be reached; the repeat goes on where this one stopped.
        """
        row = await self._db.read(
            lambda connection: topup_orders.same_order(connection, player_id, request_id, product_id)
        )
        if row is None:
            row = await self._make(player_id, request_id, product_id)
        if row.state != "created" or self.provider is None or row.provider != self.provider.name:
            return row
        purchase = Purchase(
            row.order_id, row.price_fen, row.currency, row.title_zh, row.title_en, row.expires_at_ms
        )
        pay_url = await self.provider.create(purchase)
        return await self._db.run(
            lambda connection: topup_orders.open_at_provider(
                connection, row.order_id, pay_url, self._clock.now_ms()
            )
        )

    async def _make(self, player_id: str, request_id: str, product_id: str) -> Row[Any]:
        if self.provider is None:
            raise Refusal("TOPUP_CLOSED")
        product = self.catalogue.product(product_id)
        if product is None:
            raise Refusal("PRODUCT_UNKNOWN")
        now_ms = self._clock.now_ms()
        new = topup_orders.NewOrder(
            self._ids.new("o"),
            player_id,
            request_id,
            product,
            self.provider.name,
            now_ms + self._settings.topup_order_minutes * 60_000,
            now_ms + int(self._settings.topup_ask_after_s * 1000),
        )
        for _ in range(TURNS_MAX):
            spent = await self._may_spend(player_id, product, now_ms)
            try:
                return await self._db.run(
                    lambda connection, spent=spent: topup_orders.make_order(  # type: ignore[misc] # a bound default
                        connection, new, self.catalogue, spent, self._settings.topup_open_max, now_ms
                    )
                )
            except topup_orders.Changed:
                continue
        raise Refusal("TOO_MANY_ORDERS", most=self._settings.topup_open_max)

    async def _may_spend(self, player_id: str, product: Product, now_ms: int) -> tuple[int, int]:
        """Return since when and how much the player has spent this month, if he may spend this on top.

        Raises:
            Refusal: The reason of protection why he may not.
        """
        since = month_began_at(now_ms)
        spent = await self._db.read(lambda connection: topup_orders.spent_since(connection, player_id, since))
        said = await self._protection.CheckSpend(
            CheckSpendRequest(player_id=player_id, amount_fen=product.price_fen, spent_month_fen=spent)
        )
        if said.reason:
            raise Refusal(
                said.reason,
                at_once_fen=said.at_once_fen,
                left_month_fen=said.left_month_fen,
                again=clock_text(said.until_ms),
            )
        return since, spent

    async def receive(self, provider: str, headers: Mapping[str, str], body: bytes) -> Taken:
        """Take in a webhook.

        Raises:
            Refusal: PROVIDER_UNKNOWN, MESSAGE_TOO_LARGE, WEBHOOK_FORGED, WEBHOOK_STALE, WEBHOOK_MALFORMED.
            Outage: Nothing is known; the provider sends it again.
        """
        if self.provider is None or provider != self.provider.name:
            raise Refusal("PROVIDER_UNKNOWN")
        size = sum(len(name) + len(value) for name, value in headers.items())
        if len(body) > BODY_BYTES_MAX or size > HEADERS_BYTES_MAX:
            raise Refusal("MESSAGE_TOO_LARGE")
        now_ms = self._clock.now_ms()
        try:
            event = self.provider.verify(headers, body, now_ms)
        except Refusal as refusal:
            # Who has no key fills no table: what is not genuine is counted, and logged without its body.
            self._taken.labels(refusal.reason.lower()).inc()
            _log.warning("webhook_refused", provider=provider, reason=refusal.reason, size=len(body))
            raise
        taken = await self._db.run(
            lambda connection: topup_payments.take_event(
                connection, provider, event, body, self.catalogue, now_ms
            )
        )
        await self.tell(taken, event.order_id, event.event_id)
        return taken

    async def tell(self, taken: Taken, order_id: str, event_id: str = "") -> None:
        """Say what a transaction about a payment came to: figures, facts, the wallet."""
        self._taken.labels(taken.outcome).inc()
        self._tellers.poke()
        if taken.outcome not in (
            topup_payments.APPLIED,
            topup_payments.REPEATED,
            topup_payments.NOTHING_NEW,
        ):
            _log.error("payment_problem", reason=taken.outcome, order_id=order_id, event_id=event_id)
            await self.count_problems()
        if taken.player_id:
            await self._tellers.tell_wallets([taken.player_id])

    def poke(self) -> None:
        """Say that facts were committed."""
        self._tellers.poke()

    async def count_problems(self) -> None:
        """Show how much waits for a person."""
        try:
            self._problems.set(await self._db.read(topup_desk.count_problems))
        except Outage:
            return

    async def refund(
        self,
        staff: Staff,
        request_id: str,
        order_id: str,
        amount_fen: int,
        reason: str,
        *,
        even_if_spent: bool = False,
    ) -> tuple[Row[Any], Row[Any]]:
        """Give money of an order back: its gems first (or a debt of them), then the provider is asked.

        Returns:
            The refund, `asked` if the provider could not be reached (it is asked again), and the order.

        Raises:
            Refusal: As `topup_refunds.ask`.
        """
        wish = topup_refunds.Wish(
            self._ids.new("r"), request_id, order_id, amount_fen, reason, staff, even_if_spent
        )
        now_ms = self._clock.now_ms()
        asked, order, is_new = await self._db.run(
            lambda connection: topup_refunds.ask(connection, wish, self.catalogue, now_ms)
        )
        self._tellers.poke()
        if is_new:
            await self._tellers.tell_wallets([order.player_id])
        if asked.state != "asked":
            return asked, order
        try:
            return await self.ask_refund(asked, order.payment_id)
        except Outage as outage:
            _log.warning("refund_waits", refund_id=asked.return_id, why=str(outage)[:200])
            return asked, order

    async def waive(self, staff: Staff, request_id: str, order_id: str, gems: int, reason: str) -> Row[Any]:
        """Ask no longer for gems that are owed, and return the debt then.

        Raises:
            Refusal: As `topup_waivers.waive`.
        """
        waiver = topup_waivers.Waiver(request_id, order_id, gems, reason, staff)
        now_ms = self._clock.now_ms()
        debt, is_new = await self._db.run(
            lambda connection: topup_waivers.waive(connection, waiver, self.catalogue, now_ms)
        )
        self._tellers.poke()
        if is_new:
            await self._tellers.tell_wallets([debt.player_id])
        return debt

    async def ask_refund(self, asked: Row[Any], payment_id: str) -> tuple[Row[Any], Row[Any]]:
        """Ask the provider for a refund and take in its answer.

        Raises:
            Outage: It can't be reached.
        """
        provider = self.provider
        if provider is None or provider.name != asked.provider:
            raise Outage(f"provider {asked.provider} is not set up")
        said = await provider.refund(
            RefundAsked(
                asked.return_id,
                asked.order_id,
                payment_id,
                asked.amount_fen,
                "CNY",
                asked.reason,
            )
        )
        now_ms = self._clock.now_ms()
        refund, order = await self._db.run(
            lambda connection: topup_refunds.answer(connection, asked, said, self.catalogue, now_ms)
        )
        if said == "refused":
            _log.error("refund_refused", refund_id=asked.return_id, order_id=asked.order_id)
            await self._tellers.tell_wallets([order.player_id])
            await self.count_problems()
        self._tellers.poke()
        return refund, order

    async def exchange(self, player_id: str, request_id: str, pack_id: str) -> Posted:
        """Buy a pack with gems.

        Raises:
            Refusal: PACK_UNKNOWN, INSUFFICIENT_FUNDS, REQUEST_ID_REUSED.
        """
        pack = self.catalogue.pack(pack_id)
        if pack is None:
            raise Refusal("PACK_UNKNOWN")
        now_ms = self._clock.now_ms()
        posted = await self._db.run(
            lambda connection: topup_exchange.exchange(connection, player_id, request_id, pack, now_ms)
        )
        if posted.is_new:
            await self._tellers.tell_wallets([player_id])
        return posted


def read_catalogue(path: Path | None) -> Catalogue:
    """Return what is sold, from the operator's file or the one that ships.

    Raises:
        ValueError: The file can't be read, or describes no catalogue.
    """
    try:
        text = (path or SHIPPED).read_text(encoding="utf-8")
        return parse_catalogue(json.loads(text))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error

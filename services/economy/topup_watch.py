"""Looks after orders that no webhook told about: asks the provider, lets lapse, asks for refunds again."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Row

from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage
from services.economy.core.topup import OPEN
from services.economy.providers.port import PaymentProvider
from services.economy.store import topup_orders, topup_payments, topup_refunds
from services.economy.store.topup_till import LOOKS_AFTER_PAID_MS
from services.economy.topup import TopUps

BATCH: Final = 50

WAIT_MS_MIN: Final = 1_000
WAIT_MS_MAX: Final = 5 * 60_000
"""An open order is asked about at least so often, and not more often than that."""
LATE_MS: Final = 30_000
"""One that is over time and can't be closed at the provider is tried again after this."""

_log = log.get(service="economy")


class Watch:
    """`run` until cancelled. Several of them, in several processes, do each thing once.

    Args:
        look_s: How often it looks.
    """

    def __init__(
        self, topups: TopUps, provider: PaymentProvider, db: Database, clock: Clock, look_s: float
    ) -> None:
        self._topups = topups
        self._provider = provider
        self._db = db
        self._clock = clock
        self._look_s = look_s

    async def run(self) -> None:
        """Look for ever."""
        while True:
            try:
                await self.look_once()
            except Outage as outage:
                _log.warning("topup_watch_interrupted", why=str(outage)[:200])
            await self._clock.sleep(self._look_s)

    async def look_once(self) -> int:
        """Ask about every order that is due, and for every refund that is; return how many were.

        Raises:
            Outage: The database can't be reached.
        """
        now_ms, name = self._clock.now_ms(), self._provider.name
        orders = await self._db.read(lambda connection: topup_orders.due(connection, name, now_ms, BATCH))
        for order in orders:
            await self._or_later(order, now_ms)
        refunds = await self._db.read(lambda connection: topup_refunds.asked(connection, name, now_ms, BATCH))
        for refund in refunds:
            await self._ask_again(refund, now_ms)
        return len(orders) + len(refunds)

    async def _or_later(self, order: Row[Any], now_ms: int) -> None:
        """Look at one order; if the provider can't be asked, the others are not kept waiting."""
        # Set before it is asked: what makes a look fail every time must not be looked at every second.
        later = _next_look(order, now_ms)
        await self._db.run(lambda connection: topup_orders.look_again(connection, order.order_id, later))
        try:
            await self._look(order, now_ms)
        except Outage as outage:
            _log.warning("order_not_asked_about", order_id=order.order_id, why=str(outage)[:200])

    async def _look(self, order: Row[Any], now_ms: int) -> None:
        is_late = order.state in OPEN and now_ms >= order.expires_at_ms
        # Closed at the provider first: afterwards nobody can pay an order that has lapsed here.
        status = await (self._provider.close if is_late else self._provider.query)(order.order_id)
        if status is not None and (status.state == "paid" or (status.state == "closed" and not is_late)):
            taken = await self._db.run(
                lambda connection: topup_payments.take_status(
                    connection, self._provider.name, order.order_id, status, self._topups.catalogue, now_ms
                )
            )
            await self._topups.tell(taken, order.order_id)
        elif is_late:
            await self._db.run(
                lambda connection: topup_orders.lapse(connection, order.order_id, "expired", "expiry", now_ms)
            )

    async def _ask_again(self, refund: Row[Any], now_ms: int) -> None:
        later = now_ms + topup_refunds.ASK_AGAIN_MS
        await self._db.run(lambda connection: topup_refunds.ask_later(connection, refund, later))
        order = await self._db.read(lambda connection: topup_orders.order_of(connection, refund.order_id))
        assert order is not None, "orders are never deleted"
        try:
            await self._topups.ask_refund(refund, order.payment_id)
        except Outage as outage:
            _log.warning("refund_waits", refund_id=refund.return_id, why=str(outage)[:200])


def _next_look(order: Row[Any], now_ms: int) -> int:
    """Return when an order is asked about next, if nothing comes of it now; 0 = never."""
    if order.paid_at_ms:
        return next(
            (order.paid_at_ms + after for after in LOOKS_AFTER_PAID_MS if order.paid_at_ms + after > now_ms),
            0,
        )
    # As long again as it has waited, but at its end at the latest.
    waited = min(WAIT_MS_MAX, max(WAIT_MS_MIN, now_ms - order.created_at_ms))
    end: int = order.expires_at_ms
    return min(now_ms + waited, end) if now_ms < end else now_ms + LATE_MS

"""What a payment provider must be able to do; WeChat Pay, Alipay and Stripe can (docs/topup.md says how)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from services.economy.core.topup_payments import (
    PaymentEvent,
    PaymentStatus,
    Purchase,
    RefundAnswer,
    RefundAsked,
)


class PaymentProvider(Protocol):
    """A provider, as the desk of top-ups knows it. Every call may be repeated and does its work once."""

    @property
    def name(self) -> str:
        """How orders, webhooks (`/hooks/pay/<name>`) and the account `provider/<name>` call it."""

    async def create(self, purchase: Purchase) -> str:
        """Register a payment, once per order; return where to pay: `https://…`, or a path of the page.

        Raises:
            Outage: It can't be told whether the payment is registered; ask again.
        """

    def verify(self, headers: Mapping[str, str], body: bytes, now_ms: int) -> PaymentEvent:
        """Return what a webhook says, once it is certain that the provider says so.

        Args:
            headers: By lower-case name.
            body: Byte for byte.

        Raises:
            Refusal: WEBHOOK_FORGED: not signed by a key of ours. WEBHOOK_STALE: signed too long ago, or
                ahead of us. WEBHOOK_MALFORMED: signed, and nothing that can be read.
        """

    async def query(self, order_id: str) -> PaymentStatus | None:
        """Return everything the provider knows of an order; None: nothing, so nobody can pay it.

        Raises:
            Outage: It can't be asked.
        """

    async def close(self, order_id: str) -> PaymentStatus | None:
        """See that an order can't be paid any more; return how it stands then: it may have been paid before.

        Raises:
            Outage: It can't be told.
        """

    async def refund(self, refund: RefundAsked) -> RefundAnswer:
        """Give money back, once per refund id.

        Raises:
            Outage: It can't be told whether it was accepted; ask again.
        """

"""A payment provider that takes no money: for development, tests, and to learn the ways of an order.

Everything else about it is real: its payments and webhooks are its own rows, its webhooks are signed and
travel over HTTP, it can be asked, it closes payments and gives back. Production refuses it (`topup_wiring`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Refusal
from services.chassis.ids import Ids
from services.economy.core.topup import FEN_MAX
from services.economy.core.topup_payments import (
    EVENT_KINDS,
    ID_CHARACTERS_MAX,
    PaymentEvent,
    PaymentStatus,
    Purchase,
    RefundAnswer,
    RefundAsked,
)
from services.economy.providers.signing import check_signature
from services.economy.store import topup_sandbox

NAME: Final = "sandbox"

PAGE: Final = "/sandbox-pay/"
"""The pay page, at the gateway; the payment's id follows."""

_TEXTS: Final = ("event_id", "order_id", "payment_id", "return_id", "currency")


class SandboxProvider:
    """The sandbox, as the desk of top-ups knows it. See `PaymentProvider`.

    Args:
        keys: Of its webhooks; it signs with the first.
    """

    name = NAME

    def __init__(self, db: Database, clock: Clock, ids: Ids, keys: Sequence[str]) -> None:
        self._db = db
        self._clock = clock
        self._ids = ids
        self._keys = tuple(keys)

    async def create(self, purchase: Purchase) -> str:
        """See `PaymentProvider.create`."""
        # Who knows the id can pay, or decline: it can't be guessed.
        wanted = f"sp_{self._ids.token(16).hex()}"
        payment_id = await self._db.run(
            lambda connection: topup_sandbox.register(connection, wanted, purchase)
        )
        return PAGE + payment_id

    def verify(self, headers: Mapping[str, str], body: bytes, now_ms: int) -> PaymentEvent:
        """See `PaymentProvider.verify`."""
        check_signature(self._keys, headers, body, now_ms)
        return read_event(body)

    async def query(self, order_id: str) -> PaymentStatus | None:
        """See `PaymentProvider.query`."""
        return await self._db.run(lambda connection: topup_sandbox.status_of(connection, order_id))

    async def close(self, order_id: str) -> PaymentStatus | None:
        """See `PaymentProvider.close`."""
        return await self._db.run(partial(topup_sandbox.status_of, order_id=order_id, close=True))

    async def refund(self, refund: RefundAsked) -> RefundAnswer:
        """See `PaymentProvider.refund`."""
        event_id, now_ms = self._ids.new("se"), self._clock.now_ms()
        return await self._db.run(
            lambda connection: topup_sandbox.refund(connection, refund, event_id, now_ms)
        )

    async def payment(self, payment_id: str) -> Any:
        """Return the row of a payment, for the pay page.

        Raises:
            Refusal: NOT_FOUND.
        """
        return await self._db.read(lambda connection: topup_sandbox.payment_of(connection, payment_id))

    async def act(self, payment_id: str, what: topup_sandbox.Act) -> str:
        """Do what a person chose on the pay page; return the payment's state then.

        Raises:
            Refusal: NOT_FOUND.
        """
        event_ids, now_ms = (self._ids.new("se"), self._ids.new("sb")), self._clock.now_ms()
        return await self._db.run(
            lambda connection: topup_sandbox.act(connection, payment_id, what, event_ids, now_ms)
        )


def read_event(body: bytes) -> PaymentEvent:
    """Return the event that the body of a sandbox webhook tells.

    Raises:
        Refusal: WEBHOOK_MALFORMED.
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal("WEBHOOK_MALFORMED") from None
    if not isinstance(said, dict) or said.get("kind") not in EVENT_KINDS:
        raise Refusal("WEBHOOK_MALFORMED")
    texts = {name: said.get(name, "") for name in _TEXTS}
    numbers = {name: said.get(name, 0) for name in ("amount_fen", "at_ms")}
    if not all(
        isinstance(text, str) and len(text) <= ID_CHARACTERS_MAX and text.isprintable()
        for text in texts.values()
    ):
        raise Refusal("WEBHOOK_MALFORMED")
    # `True` is an int to Python, and 1e3 a float: an amount is a whole number, or it is none.
    if not all(type(number) is int for number in numbers.values()):
        raise Refusal("WEBHOOK_MALFORMED")
    if not (texts["event_id"] and texts["order_id"] and texts["payment_id"]):
        raise Refusal("WEBHOOK_MALFORMED")
    if not (0 <= numbers["amount_fen"] <= 100 * FEN_MAX and 0 <= numbers["at_ms"] < 2**50):
        raise Refusal("WEBHOOK_MALFORMED")
    return PaymentEvent(kind=said["kind"], **texts, **numbers)

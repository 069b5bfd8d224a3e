"""Brings the sandbox's webhooks to the platform's own HTTP door, signed anew each time."""

from __future__ import annotations

from typing import Final

import aiohttp

from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage
from services.economy.providers.signing import signed_headers
from services.economy.store import topup_sandbox

LOOK_S: Final = 0.5
"""So often it looks what is to be sent."""
ANSWER_S: Final = 10.0
BATCH: Final = 20

_log = log.get(service="economy")


class Courier:
    """Sends webhooks; `run` until cancelled.

    Args:
        key: What they are signed with.
        url: Where to; empty = nobody has said yet, and nothing is sent.
    """

    def __init__(self, db: Database, clock: Clock, key: str, url: str) -> None:
        self._db = db
        self._clock = clock
        self._key = key
        self.url = url

    async def run(self) -> None:
        """Send what is due, for ever."""
        timeout = aiohttp.ClientTimeout(total=ANSWER_S)
        async with aiohttp.ClientSession(timeout=timeout) as http:
            while True:
                try:
                    sent = await self.send_due(http) if self.url else 0
                except Outage as outage:
                    _log.warning("sandbox_courier_interrupted", why=str(outage)[:200])
                    sent = 0
                if sent < BATCH:
                    await self._clock.sleep(LOOK_S)

    async def send_due(self, http: aiohttp.ClientSession) -> int:
        """Send what is due now, at most one batch, in order; return how many were tried.

        Raises:
            Outage: The database can't be reached.
        """
        now_ms = self._clock.now_ms()
        deliveries = await self._db.read(lambda connection: topup_sandbox.due(connection, now_ms, BATCH))
        for delivery in deliveries:
            await self._send(http, delivery.id, delivery.tries + 1, bytes(delivery.body))
        return len(deliveries)

    async def _send(self, http: aiohttp.ClientSession, delivery_id: int, tries: int, body: bytes) -> None:
        headers = signed_headers(self._key, self._clock.now_ms() // 1000, body)
        is_taken = False
        try:
            async with http.post(
                self.url, data=body, headers={**headers, "Content-Type": "application/json"}
            ) as answer:
                is_taken = answer.status == 200
                if not is_taken:
                    _log.warning("sandbox_webhook_refused", status=answer.status, tries=tries)
        except (aiohttp.ClientError, TimeoutError) as error:
            _log.warning("sandbox_webhook_failed", why=str(error)[:200], tries=tries)
        now_ms = self._clock.now_ms()
        await self._db.run(
            lambda connection: topup_sandbox.sent(connection, delivery_id, tries, is_taken, now_ms)
        )

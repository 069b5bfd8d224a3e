"""Who is here, as the gateways say it: held in memory, and made good by what they repeat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from google.protobuf.message import DecodeError
from paiju.gateway.v1.gateway_service_pb2 import PeopleHere

from services.chassis import log
from services.chassis.bus import Bus, Subscription, subject_of
from services.chassis.clock import Clock

SILENT_S: Final = 75.0
"""Gateways repeat who is with them every 30 s: two words may be lost before somebody counts as gone."""
HEARD_BYTES_MAX: Final = 128 * 1024

_log = log.get(service="accounts")


class Presence:
    """What this process has heard.

    A process that has just started knows nobody, and after half a minute everybody.

    Args:
        bus: Where gateways say it.
        clock: Time.
    """

    def __init__(self, bus: Bus, clock: Clock) -> None:
        self._bus = bus
        self._clock = clock
        self._heard: dict[str, dict[str, float]] = {}
        """By player, by gateway: when it was said last that he is there."""
        self._swept_at = clock.monotonic()
        self._subscription: Subscription | None = None

    async def start(self) -> None:
        """Hear from now on."""
        self._subscription = await self._bus.listen(subject_of(PeopleHere, key="*"), self._hear)

    async def stop(self) -> None:
        """Hear nothing more."""
        if self._subscription is not None:
            await self._subscription.stop()

    def here(self, player_ids: Iterable[str]) -> list[str]:
        """Return those of them who are here, in their order."""
        since = self._clock.monotonic() - SILENT_S
        return [one for one in player_ids if any(at > since for at in self._heard.get(one, {}).values())]

    async def _hear(self, payload: bytes, subject: str) -> None:
        try:
            if len(payload) > HEARD_BYTES_MAX:
                raise DecodeError("too large")
            said = PeopleHere.FromString(payload)
        except DecodeError:
            _log.error("message_unreadable", subject=subject, bytes=len(payload))
            return
        now = self._clock.monotonic()
        for player in said.here:
            self._heard.setdefault(player, {})[said.gateway] = now
        for player in said.gone:
            self._drop(player, said.gateway)
        if now - self._swept_at >= SILENT_S:
            self._sweep(now)

    def _sweep(self, now: float) -> None:
        """Forget those whose gateway has died without a word."""
        self._swept_at = now
        silent = [
            (player, gateway)
            for player, gateways in self._heard.items()
            for gateway, at in gateways.items()
            if at <= now - SILENT_S
        ]
        for player, gateway in silent:
            self._drop(player, gateway)

    def _drop(self, player: str, gateway: str) -> None:
        gateways = self._heard.get(player, {})
        gateways.pop(gateway, None)
        if not gateways:
            self._heard.pop(player, None)

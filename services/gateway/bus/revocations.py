"""Sessions of accounts that were revoked while their access tokens still live."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from google.protobuf.message import DecodeError
from paiju.accounts.v1.events_pb2 import SessionRevoked

from services.chassis import log
from services.chassis.bus import BucketSpec, Bus, Subscription, subject_of
from services.chassis.errors import Outage

REVOKED: Final = BucketSpec("revoked", ttl_s=660.0)
"""One key per revoked session, a minute longer than its tokens live: for gateways that start meanwhile."""

REMEMBERED_MAX: Final = 100_000
_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")

_log = log.get(service="gateway")


class Revocations:
    """Hears revocations, remembers them, and says each to `on_revoked(player_id, session_id)`."""

    def __init__(self, bus: Bus, on_revoked: Callable[[str, str], object]) -> None:
        self._bus = bus
        self._on_revoked = on_revoked
        self._revoked: OrderedDict[str, None] = OrderedDict()
        self._subscription: Subscription | None = None

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._revoked

    async def start(self) -> None:
        """Hear from now on, and learn what others have heard before.

        Raises:
            Outage: What others have heard can't be read: then nobody may be let in here.
        """
        self._subscription = await self._bus.listen(subject_of(SessionRevoked, key="*"), self._hear)
        bucket = await self._bus.bucket(REVOKED.name)
        for key in await bucket.keys():
            self._remember(key)

    async def stop(self) -> None:
        """Hear nothing more."""
        if self._subscription is not None:
            await self._subscription.stop()

    async def _hear(self, payload: bytes, subject: str) -> None:
        try:
            revoked = SessionRevoked.FromString(payload)
        except DecodeError:
            _log.error("message_unreadable", subject=subject)
            return
        self._remember(revoked.session_id)
        self._on_revoked(revoked.player_id, revoked.session_id)
        if _KEY.fullmatch(revoked.session_id):
            try:
                await (await self._bus.bucket(REVOKED.name)).put(revoked.session_id, b"1")
            except Outage as outage:
                _log.warning("revocation_not_shared", session=revoked.session_id, why=str(outage))

    def _remember(self, session_id: str) -> None:
        self._revoked[session_id] = None
        if len(self._revoked) > REMEMBERED_MAX:
            self._revoked.popitem(last=False)

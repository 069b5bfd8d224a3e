"""Sessions of accounts that are revoked while somebody is connected with them."""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.message import DecodeError
from paiju.accounts.v1.events_pb2 import SessionRevoked

from services.chassis import log
from services.chassis.bus import Bus, Subscription, subject_of
from services.chassis.revocations import Revocations

_log = log.get(service="gateway")


class RevocationEars:
    """Hears revocations as they happen, and says each to `on_revoked(player_id, session_id)`.

    Whether a token that is shown later is still good is the verifier's to say; it is told here, too, so that
    it needn't look.
    """

    def __init__(self, bus: Bus, here: Revocations, on_revoked: Callable[[str, str], object]) -> None:
        self._bus = bus
        self._here = here
        self._on_revoked = on_revoked
        self._subscription: Subscription | None = None

    async def start(self) -> None:
        """Hear from now on."""
        self._subscription = await self._bus.listen(subject_of(SessionRevoked, key="*"), self._hear)

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
        self._here.note(revoked.session_id)
        self._on_revoked(revoked.player_id, revoked.session_id)

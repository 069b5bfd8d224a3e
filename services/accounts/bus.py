"""Public keys and revoked sessions, for every process that verifies tokens.

Events leave through the outbox; our own word of a revocation comes back to us, so that none is forgotten,
whatever dies in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from google.protobuf.message import Message
from paiju.accounts.v1.events_pb2 import SessionRevoked

from services.accounts.keys import Signer
from services.chassis.auth import KEYS_BUCKET, SESSION_ID
from services.chassis.bus.port import Bus, Delivery
from services.chassis.bus.registry import REVOKED
from services.chassis.clock import Clock
from services.chassis.revocations import Revocations
from services.chassis.run import Consumes

REVOCATIONS: Final = Consumes("accounts-revocations", (SessionRevoked,))


async def show_keys(bus: Bus, signer: Signer) -> None:
    """Put the public keys where verifiers read them, and take away those that no longer verify."""
    bucket = await bus.bucket(KEYS_BUCKET)
    ours = {key.kid: key.public_bytes for key in signer.keys}
    for kid, public_bytes in ours.items():
        kept = await bucket.get(kid)
        if kept is None or kept.value != public_bytes:
            await bucket.put(kid, public_bytes)
    for kid in await bucket.keys():
        if kid not in ours:
            await bucket.delete(kid)


class Revoker:
    """Puts revoked sessions where verifiers read them; twice does no harm."""

    def __init__(self, bus: Bus, clock: Clock, here: Revocations) -> None:
        self._bus = bus
        self._clock = clock
        self._here = here

    async def on_revoked(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Show each, but for those whose last token has ended by now (a new consumer hears old ones, too)."""
        bucket = await self._bus.bucket(REVOKED.name)
        since_ms = self._clock.now_ms() - int(REVOKED.ttl_s * 1000)
        for one in deliveries:
            assert isinstance(one.message, SessionRevoked)
            session_id = one.message.session_id
            if one.at_ms >= since_ms and SESSION_ID.fullmatch(session_id):
                self._here.note(session_id)
                await bucket.put(session_id, b"1")

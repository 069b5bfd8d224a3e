"""Public keys and revoked sessions, for every process that verifies tokens; the log of what staff did.

Events leave through the outbox; our own word of a revocation comes back to us, so that none is forgotten,
whatever dies in between. Staff's deeds of all services, ours too, come the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from google.protobuf.message import Message
from paiju.accounts.v1 import events_pb2 as accounts_events
from paiju.accounts.v1.events_pb2 import SessionRevoked
from paiju.economy.v1 import staff_events_pb2

from services.accounts.keys import Signer
from services.accounts.store import staff
from services.chassis.auth import KEYS_BUCKET, SESSION_ID
from services.chassis.bus.port import Bus, Delivery
from services.chassis.bus.registry import REVOKED
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.revocations import Revocations
from services.chassis.run import Consumes

REVOCATIONS: Final = Consumes("accounts-revocations", (SessionRevoked,))
STAFF_ACTED: Final = (accounts_events.StaffActed, staff_events_pb2.StaffActed)
"""The same event of each service in which staff acts."""
STAFF_LOG: Final = Consumes("accounts-staff-log", STAFF_ACTED)


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


class StaffLog:
    """Writes what staff did, wherever it was, into the log; twice does no harm."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def on_acted(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Write each once, by its event id."""
        entries = [_entry(one) for one in deliveries]
        await self._db.run(lambda connection: staff.keep(connection, entries))


def _entry(delivery: Delivery[Message]) -> dict[str, Any]:
    acted = delivery.message
    assert isinstance(acted, STAFF_ACTED)
    return {
        "event_id": f"{acted.DESCRIPTOR.full_name}/{delivery.event_id}",
        "service": acted.DESCRIPTOR.file.package.split(".")[1],
        "staff_id": acted.staff_id,
        "role": acted.role,
        "action": acted.action,
        "subject": acted.subject,
        "reason": acted.reason,
        "detail_json": acted.detail_json,
        "at_ms": acted.at_ms,
    }

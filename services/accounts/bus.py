"""Out: the public keys, for every service that verifies tokens (events leave through the outbox)."""

from __future__ import annotations

from services.accounts.keys import Signer
from services.chassis.auth import KEYS_BUCKET
from services.chassis.bus.port import Bus


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

"""Rows as messages."""

from __future__ import annotations

from collections.abc import Iterable

from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.accounts.store.api_keys import Kept
from services.accounts.store.ways import Way


def ways_pb(ways: Iterable[Way]) -> list[pb.WayIn]:
    """Return ways in."""
    return [
        pb.WayIn(kind=way.kind, id=way.id, created_at_ms=way.created_at_ms, title=way.title) for way in ways
    ]


def api_key_pb(kept: Kept) -> pb.ApiKey:
    """Return a key; no secret is in it."""
    key = kept.key
    return pb.ApiKey(
        key_id=key.key_id,
        player_id=key.player_id,
        name=key.name,
        scopes=key.scopes.split(","),
        per_minute=key.per_minute,
        per_day=key.per_day,
        created_at_ms=key.created_at_ms,
        used_at_ms=key.used_at_ms or 0,
        revoked_at_ms=key.revoked_at_ms or 0,
        secrets=[
            pb.ApiKeySecret(
                prefix=one.prefix, created_at_ms=one.created_at_ms, expires_at_ms=one.expires_at_ms or 0
            )
            for one in kept.secrets
        ],
    )

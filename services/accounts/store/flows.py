"""OpenID Connect sign-ins under way."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from services.accounts.store import schema
from services.chassis.errors import Refusal

FLOWS_SWEPT_MAX = 100
"""Expired ones removed with each new one."""


def keep(connection: Connection, flow: dict[str, Any], now_ms: int) -> None:
    """Remember a flow (its columns), and forget some that have expired."""
    table = schema.oidc_flows
    expired = (
        select(table.c.flow_hash)
        .where(table.c.expires_at_ms <= now_ms)
        .limit(FLOWS_SWEPT_MAX)
        .scalar_subquery()
    )
    connection.execute(delete(table).where(table.c.flow_hash.in_(expired)))
    connection.execute(insert(table), flow)


def use(connection: Connection, flow_hash: bytes, state: str, player_id: str, now_ms: int) -> Row[Any]:
    """Use up a flow and return it; whatever comes of it, nobody tries twice on one.

    Args:
        player_id: Who calls; a flow that links is his who began it.

    Raises:
        Refusal: OIDC_FLOW_INVALID: unknown, used, expired, with another state, or another's.
    """
    table = schema.oidc_flows
    flow = connection.execute(
        select(table).where(table.c.flow_hash == flow_hash).with_for_update()
    ).one_or_none()
    fits = flow is not None and (
        flow.state == state and flow.expires_at_ms > now_ms and flow.player_id in ("", player_id)
    )
    if not fits or flow is None:
        raise Refusal("OIDC_FLOW_INVALID")
    used = connection.execute(delete(table).where(table.c.flow_hash == flow_hash))
    if used.rowcount != 1:
        raise Refusal("OIDC_FLOW_INVALID")
    return flow

"""What players have set for their protection, as rows: `fn(connection)` functions for `db.run`."""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, select, update

from services.accounts.core.protection import NOBODY, Own, joined
from services.accounts.store.protection_schema import keys, protection
from services.accounts.store.schema import device_keys, identities, players
from services.chassis.db.inserts import upsert
from services.chassis.errors import Refusal

FIELDS = [field.name for field in dataclasses.fields(Own)]


def load(connection: Connection, player_ids: Iterable[str], now_ms: int) -> dict[str, Own]:
    """Return what counts for players; with it what others have set before them under the same device key."""
    wanted = sorted(set(player_ids))
    found = {row.player_id: _own(row) for row in _rows(connection, wanted)}
    before = _before(connection, wanted)
    if before:
        earlier = {
            row.player_id: _own(row) for row in _rows(connection, sorted(set().union(*before.values())))
        }
        for player_id, ids in before.items():
            for one in sorted(ids):
                own = found.get(player_id, NOBODY)
                found[player_id] = joined(own, earlier.get(one, NOBODY), now_ms)
    return {player_id: found.get(player_id, NOBODY) for player_id in wanted}


def hold(connection: Connection, player_id: str, now_ms: int) -> Own:
    """Return what counts for a player, locked until the transaction ends; from now on it is his own.

    Raises:
        Refusal: NOT_FOUND.
    """
    if connection.execute(select(players.c.player_id).filter_by(player_id=player_id)).first() is None:
        raise Refusal("NOT_FOUND", what=player_id)
    row = {"player_id": player_id, **dataclasses.asdict(NOBODY)}
    connection.execute(upsert(connection, protection).values(row).on_conflict_do_nothing())
    connection.execute(select(protection).filter_by(player_id=player_id).with_for_update()).one()
    own = load(connection, [player_id], now_ms)[player_id]
    keep_for_ways(connection, player_id)
    return own


def save(connection: Connection, player_id: str, own: Own) -> None:
    """Write what a player has set; he is held."""
    connection.execute(update(protection).filter_by(player_id=player_id).values(dataclasses.asdict(own)))


def keep_for_ways(connection: Connection, player_id: str) -> None:
    """Let a player's protection go on for whoever comes in by one of his ways: a key, an identity.

    Called whenever it changes, and before a way in is taken away. A player without any has nothing to go on.
    """
    if connection.execute(select(protection.c.player_id).filter_by(player_id=player_id)).first() is None:
        return
    rows = [{"key_hash": way, "player_id": player_id} for way in sorted(_ways_of(connection, [player_id]))]
    if rows:
        insert = upsert(connection, keys)
        connection.execute(
            insert.on_conflict_do_update(
                index_elements=["key_hash"], set_={"player_id": insert.excluded.player_id}
            ),
            rows,
        )


def is_any_set(connection: Connection) -> bool:
    """Return whether anybody has set anything."""
    return connection.execute(select(protection.c.player_id).limit(1)).first() is not None


def _rows(connection: Connection, player_ids: list[str]) -> Iterable[Row[Any]]:
    return connection.execute(select(protection).where(protection.c.player_id.in_(player_ids)))


def _before(connection: Connection, player_ids: list[str]) -> Mapping[str, set[str]]:
    """Return whose protection goes on for whom: player → others who had one of his ways in before him."""
    owner = _ways_of(connection, player_ids)
    before: defaultdict[str, set[str]] = defaultdict(set)
    for row in connection.execute(select(keys).where(keys.c.key_hash.in_(sorted(owner)))):
        player_id = owner[row.key_hash]
        if row.player_id != player_id:
            before[player_id].add(row.player_id)
    return before


def _ways_of(connection: Connection, player_ids: list[str]) -> dict[bytes, str]:
    """Return the ways in of players, each as a hash, and whose it is.

    A login name is none of them: it may be another person's later.
    """
    by_key = select(device_keys.c.player_id, device_keys.c.public_key).where(
        device_keys.c.player_id.in_(player_ids)
    )
    by_identity = select(identities).where(identities.c.player_id.in_(player_ids))
    ways = {sha256(b"key:" + row.public_key).digest(): row.player_id for row in connection.execute(by_key)}
    for row in connection.execute(by_identity):
        name = json.dumps([row.provider_id, row.subject])
        ways[sha256(b"identity:" + name.encode()).digest()] = row.player_id
    return ways


def _own(row: Row[Any]) -> Own:
    return Own(**{name: getattr(row, name) for name in FIELDS})

"""`paiju keys`: API keys of programs that act for players, made and ended by an operator."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from services.launch.exits import USAGE, Stop, registered
from services.launch.groups import By, Data, Json, Reason, player_of, with_accounts
from services.launch.staff import Player, deed_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

app = typer.Typer(name="keys", help="API keys of programs that act for players.", no_args_is_help=True)


@registered(
    app,
    'paiju keys create laowang --name "league bot" --scope play --reason "the league" --data data',
    name="create",
)
def create(
    player: Player,
    reason: Reason,
    name: Annotated[str, typer.Option(help="What it is for, at most 64 characters.")],
    scope: Annotated[
        list[str],
        typer.Option(help="play, profile, records.read, records.share or wallet.read; may be repeated."),
    ],
    per_minute: Annotated[int, typer.Option(min=1, help="Calls in a minute.")] = 300,
    per_day: Annotated[int, typer.Option(min=1, help="Calls in a day (UTC).")] = 50_000,
    data: Data = None,
    by: By = "",
    as_json: Json = False,
) -> None:
    """Make a key and print its secret, this once.

    Exit codes: 0 done · 2 no such player, scope or database, or no reason · 4 the database is away.
    """
    from services.accounts.core import api_keys as rules
    from services.accounts.store import api_keys, staff
    from services.chassis.errors import Refusal
    from services.chassis.ids import SystemIds

    deed, ids = deed_of(by, reason), SystemIds()
    try:
        key = {
            "key_id": ids.new("k"),
            "name": rules.name_of(name),
            "scopes": rules.scopes_of(scope),
            "per_minute": per_minute,
            "per_day": per_day,
        }
        limits = rules.QuotaLimits(per_minute, per_day)
        rules.quota_of(per_minute, per_day, limits, by_staff=True)
    except Refusal as refusal:
        raise Stop(USAGE, f"{refusal.text('en').rstrip('.')} ({refusal.reason})") from None
    secret = rules.secret_of(ids.token(rules.SECRET_BYTES))
    kept = api_keys.NewSecret(rules.hash_of_secret(secret), secret[: rules.PREFIX_CHARACTERS])

    def work(connection: Connection) -> str:
        player_id = player_of(connection, player)
        api_keys.create(connection, key | {"player_id": player_id}, kept, deed.at_ms)
        told = {"key_id": key["key_id"], "scopes": key["scopes"]}
        staff.tell(
            connection, deed, "api_key.create", player_id, **told, per_minute=per_minute, per_day=per_day
        )
        return player_id

    player_id = with_accounts(data, work)
    if as_json:
        print(json.dumps({"key_id": key["key_id"], "player_id": player_id, "secret": secret}))
    else:
        print(f"{key['key_id']} for {player_id}; the secret, shown this once:\n{secret}")


@registered(app, "paiju keys list laowang --data data", name="list")
def listed(player: Player, data: Data = None, as_json: Json = False) -> None:
    """List a player's keys; secrets are shown only when they are made.

    Exit codes: 0 · 2 no such player or database · 4 it is away.
    """
    from services.accounts.store import api_keys
    from services.chassis.clock import SystemClock

    now_ms = SystemClock().now_ms()

    def work(connection: Connection) -> list[dict[str, object]]:
        found = api_keys.of(connection, player_of(connection, player), now_ms)
        return [
            {**kept.key._asdict(), "prefixes": [secret.prefix for secret in kept.secrets]} for kept in found
        ]

    rows = with_accounts(data, work)
    if as_json:
        print(json.dumps({"keys": rows}, ensure_ascii=False))
        return
    for row in rows:
        state = "ended" if row["revoked_at_ms"] else f"{row['per_minute']}/min {row['per_day']}/day"
        print(f"{row['key_id']}  {row['scopes']}  {state}  {row['name']}")


@registered(app, 'paiju keys revoke k_01h2 --reason "it was published" --data data', name="revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(help="A key's id (k_…).")],
    reason: Reason,
    data: Data = None,
    by: By = "",
    as_json: Json = False,
) -> None:
    """End a key; its tokens are refused within a second. Twice does nothing.

    Exit codes: 0 done · 2 no such key or database, or no reason · 4 the database is away.
    """
    from services.accounts.store import api_keys, staff

    deed = deed_of(by, reason)

    def work(connection: Connection) -> str:
        key = api_keys.revoke(connection, key_id, "", deed.at_ms)
        if key.revoked_at_ms is None:
            staff.tell(connection, deed, "api_key.revoke", key.player_id, key_id=key_id)
        player_id: str = key.player_id
        return player_id

    player_id = with_accounts(data, work)
    print(json.dumps({"key_id": key_id, "player_id": player_id}) if as_json else f"{key_id} has ended")

"""`paiju staff`: who has which role, and what staff did; the first admin is made here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from services.launch.exits import USAGE, Stop, registered
from services.launch.groups import By, Data, Json, Reason, operator, player_of, with_accounts

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from services.accounts.store.staff import Deed

app = typer.Typer(name="staff", help="Roles of staff: admin, disputes, money, support.", no_args_is_help=True)

Player = Annotated[str, typer.Argument(help="A player's id (p_…), or his login name.")]
Role = Annotated[str, typer.Argument(help="admin, disputes, money or support.")]


@registered(
    app, 'paiju staff grant laowang disputes --reason "new on the night shift" --data data', name="grant"
)
def grant(
    player: Player, role: Role, reason: Reason, data: Data = None, by: By = "", as_json: Json = False
) -> None:
    """Give a player a role. It counts from his next token on: ten minutes at most.

    Exit codes: 0 done · 2 no such player, role or database, or no reason · 4 the database is away.
    """
    _change(player, role, reason, data, by, as_json, give=True)


@registered(app, 'paiju staff revoke laowang disputes --reason "he has left" --data data', name="revoke")
def revoke(
    player: Player, role: Role, reason: Reason, data: Data = None, by: By = "", as_json: Json = False
) -> None:
    """Take a role away; his sessions end within a second.

    Exit codes: 0 done · 2 no such player, role or database, or no reason · 4 the database is away.
    """
    _change(player, role, reason, data, by, as_json, give=False)


@registered(app, "paiju staff list --data data", name="list")
def members(data: Data = None, as_json: Json = False) -> None:
    """List who has which role.

    Exit codes: 0 · 2 no database there · 4 it is away.
    """
    from services.accounts.store import staff

    found = with_accounts(data, staff.members)
    if as_json:
        rows = [{"player_id": one, "nickname": name, "roles": roles} for one, name, roles in found]
        print(json.dumps({"staff": rows}, ensure_ascii=False))
        return
    for player_id, nickname, roles in found:
        print(f"{player_id}  {','.join(roles)}  {nickname}")


@registered(app, "paiju staff log --most 20 --data data", name="log")
def log(
    most: Annotated[int, typer.Option(min=1, max=10_000, help="How many, the newest.")] = 50,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Show what staff did, the newest first.

    Exit codes: 0 · 2 no database there · 4 it is away.
    """
    from services.accounts.core.texts import text_of
    from services.accounts.store import staff

    rows = with_accounts(
        data, lambda connection: [row._asdict() for row in staff.log(connection, None, most)]
    )
    if as_json:
        print(json.dumps({"entries": rows}, ensure_ascii=False))
        return
    for row in rows:
        who, what = f"{row['staff_id']} ({row['role']})", f"{row['service']}:{row['action']}"
        print(f"{text_of(row['at_ms'])}  {who}  {what}  {row['subject']}  {' '.join(row['reason'].split())}")


def _change(player: str, role: str, reason: str, data: Data, by: str, as_json: bool, *, give: bool) -> None:
    from services.accounts.store import staff
    from services.chassis.access import ROLES

    if role not in ROLES:
        raise Stop(USAGE, f"there is no role {role!r}; there are {', '.join(ROLES)}")
    deed = deed_of(by, reason)

    def work(connection: Connection) -> tuple[str, list[str]]:
        player_id = player_of(connection, player)
        change = staff.grant if give else staff.revoke
        return player_id, change(connection, player_id, role, deed)

    player_id, roles = with_accounts(data, work)
    if as_json:
        print(json.dumps({"player_id": player_id, "roles": roles}))
    else:
        print(f"{player_id}: {', '.join(roles) or 'no role'}")


def deed_of(by: str, reason: str) -> Deed:
    """Return what an operator does.

    Raises:
        Stop: There is no good reason (`USAGE`).
    """
    from services.accounts.store.staff import Deed
    from services.chassis.access import reason_of
    from services.chassis.auth import Staff
    from services.chassis.clock import SystemClock
    from services.chassis.errors import Refusal
    from services.chassis.ids import SystemIds

    try:
        why = reason_of(reason)
    except Refusal as refusal:
        raise Stop(USAGE, refusal.text("en").rstrip(".")) from None
    who = Staff(f"operator:{operator(by)}", "operator")
    return Deed(who, why, SystemIds().new("d"), SystemClock().now_ms())

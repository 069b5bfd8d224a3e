"""What the groups of commands share, such as `paiju staff grant`: options, and the database of accounts."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from services.launch.exits import USAGE, Stop

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")

Data = Annotated[
    Path | None, typer.Option(help="The data folder of a `paiju up`; without it, PAIJU_DATABASE_URL.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")]
Reason = Annotated[str, typer.Option(help="Why, 3 to 500 characters; it stands in the log of staff.")]
By = Annotated[str, typer.Option("--as", help="Your name for the log; without it, that of your login here.")]


def with_accounts(data: Path | None, work: Callable[[Connection], T]) -> T:
    """Do something in one transaction with the database of accounts, whether accounts runs or not.

    Events that are written leave as soon as accounts runs: its outbox is in the same database.

    Raises:
        Stop: There is no such database, or what is asked is refused (`USAGE`); it can't be reached
            (`OUTAGE`).
    """
    from sqlalchemy.engine import make_url

    from services.chassis.clock import SystemClock
    from services.chassis.config import PaijuSettings
    from services.chassis.db import check_schema, open_database
    from services.chassis.errors import Refusal
    from services.chassis.ids import SystemIds
    from services.chassis.run import run as run_loop
    from services.launch.serve import outages_in_one_line

    settings = PaijuSettings(dev=True) if data is None else PaijuSettings(dev=True, data_dir=data.resolve())
    url = settings.database_url_of("accounts")
    file = make_url(url).database or ""
    if url.startswith("sqlite") and not Path(file).is_file():
        raise Stop(USAGE, f"there are no accounts here: {file} is missing; name its folder with --data")

    async def main() -> T:
        db = open_database(url, SystemClock(), SystemIds(), connections=1)
        try:
            return await db.run(work)
        finally:
            await db.close()

    with outages_in_one_line():
        check_schema(url, "accounts")
        try:
            return run_loop(main())
        except Refusal as refusal:
            raise Stop(USAGE, f"{refusal.text('en').rstrip('.')} ({refusal.reason})") from None


def player_of(connection: Connection, text: str) -> str:
    """Return a player's id, for an id or a login name.

    Raises:
        Refusal: NOT_FOUND.
    """
    from services.accounts.core.logins import login_name_of
    from services.accounts.store import people, ways
    from services.chassis.errors import Refusal

    if text.startswith("p_") and people.profiles(connection, [text]):
        return text
    try:
        found = ways.password_by_name(connection, login_name_of(text))
    except Refusal:
        found = None
    if found is None:
        raise Refusal("NOT_FOUND", what=text[:80])
    player_id: str = found.player_id
    return player_id


def operator(name: str) -> str:
    """Return the name that stands in the log."""
    chosen = name.strip() or getpass.getuser()
    if not 1 <= len(chosen) <= 64 or not chosen.isprintable():
        raise Stop(USAGE, "a name for the log has 1 to 64 characters that can be read")
    return chosen

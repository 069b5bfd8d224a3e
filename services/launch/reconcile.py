"""`paiju reconcile`: prove the book of coins, from its database alone."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.engine import make_url

from services.chassis.clock import SystemClock
from services.chassis.config import PaijuSettings
from services.chassis.db import check_schema, open_database
from services.chassis.db.sqlite import sqlite_engine
from services.chassis.ids import SystemIds
from services.chassis.run import run as run_loop
from services.economy.reconcile import reconcile
from services.economy.store.proof import Proof
from services.launch.exits import NO, USAGE, Stop
from services.launch.serve import outages_in_one_line


def run(data: Path | None, *, as_json: bool) -> None:
    """Print what was checked and what is wrong.

    Args:
        data: The data folder of a `paiju up`; None: the database that the environment names.
        as_json: One JSON object.

    Raises:
        Stop: There is no book (`USAGE`), it can't be reached (`OUTAGE`), or it does not add up (`NO`).
    """
    # Reading needs no keys.
    settings = PaijuSettings(dev=True) if data is None else PaijuSettings(dev=True, data_dir=data.resolve())
    url = settings.database_url_of("economy")
    with outages_in_one_line():
        check_schema(_readable(url), "economy")
        proof = run_loop(_prove(url))
    if as_json:
        print(json.dumps({"ok": not proof.findings, **dataclasses.asdict(proof)}, ensure_ascii=False))
    else:
        print("\n".join([*proof.findings, f"{proof.transfers} transfers, {proof.accounts} accounts checked"]))
    if proof.findings:
        raise Stop(NO, f"the book does not add up: {proof.findings[0]}")


def _readable(url: str) -> str | Engine:
    """Return what the schema of the book is read from; looking makes no file.

    Raises:
        Stop: There is no book (`USAGE`).
    """
    if not url.startswith("sqlite"):
        return url
    file = make_url(url).database or ""
    if not Path(file).is_file():
        raise Stop(USAGE, f"there is no book here: {file} is missing; name its folder with --data")
    return sqlite_engine(url, reads_only=True)


async def _prove(url: str) -> Proof:
    db = open_database(url, SystemClock(), SystemIds(), connections=1, reads_only=True)
    try:
        return await reconcile(db)
    finally:
        await db.close()

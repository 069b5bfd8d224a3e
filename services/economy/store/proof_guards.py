"""The proof's part about guards: what may never change is still kept from changing by the database itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, text

KEPT: Final = (
    "acknowledgements",
    "decisions",
    "entries",
    "topup_events",
    "topup_history",
    "topup_waivers",
    "transfers",
)
"""Tables whose rows are written once; migrations give each its triggers."""

_SQLITE: Final = ("no_delete", "no_update")
_POSTGRES: Final = ("immutable", "kept")
_ASKED: Final = {
    "sqlite": text("SELECT name FROM sqlite_master WHERE type = 'trigger'"),
    # `D`: somebody has switched it off.
    "postgresql": text(
        "SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
        "WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal AND tgenabled <> 'D'"
    ),
}


def missing_guards(connection: Connection) -> Iterator[str]:
    """Yield the triggers that are gone or switched off: whoever did that may have changed what they guard."""
    dialect = connection.dialect.name
    found = set(connection.execute(_ASKED[dialect]).scalars())
    for table in KEPT:
        for ending in _POSTGRES if dialect == "postgresql" else _SQLITE:
            if f"{table}_{ending}" not in found:
                yield f"table {table}: its rows can be changed, its trigger {table}_{ending} is gone"

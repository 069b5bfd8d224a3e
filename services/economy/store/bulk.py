"""Many rows in one statement: arrays on PostgreSQL, `executemany` and JSON on SQLite.

A statement whose text doesn't depend on the number of rows is compiled once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Executable,
    Table,
    Text,
    any_,
    bindparam,
    column,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from services.chassis.db.inserts import upsert
from services.chassis.db.port import TryAgain

Row = Mapping[str, object]


def among(connection: Connection, of: Column[Any], values: Iterable[object]) -> ColumnElement[bool]:
    """Return the condition that a text column has one of these values."""
    wanted = sorted({str(value) for value in values})
    if connection.dialect.name == "postgresql":
        return of == any_(literal(wanted, postgresql.ARRAY(Text)))
    each = func.json_each(json.dumps(wanted)).table_valued("value")
    return of.in_(select(each.c.value))


def insert_new(connection: Connection, table: Table, row: Row) -> None:
    """Insert a row that was looked for and not found, under a key that somebody else may use at this moment.

    Raises:
        TryAgain: He was first: the whole transaction is done again, and finds his.
    """
    done = connection.execute(upsert(connection, table).values(dict(row)).on_conflict_do_nothing())
    if not done.rowcount:
        raise TryAgain(f"a row of {table.name} was written by another transaction")


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row], or_keep: bool = False) -> None:
    """Insert rows that all give the same columns.

    Args:
        or_keep: Leave a row as it is whose key is there already.
    """
    if not rows:
        return
    names = tuple(rows[0])
    if connection.dialect.name == "postgresql":
        arrays = {name: [row[name] for row in rows] for name in names}
        connection.execute(_insert_arrays(table, names, or_keep), arrays)
    else:
        statement = sqlite.insert(table).on_conflict_do_nothing() if or_keep else insert(table)
        connection.execute(statement, [dict(row) for row in rows])


def update_rows(connection: Connection, table: Table, keys: tuple[str, ...], rows: Sequence[Row]) -> None:
    """Set all other columns that the rows give, where the columns `keys` are as they say."""
    if not rows:
        return
    names = tuple(rows[0])
    if connection.dialect.name == "postgresql":
        arrays = {f"the_{name}": [row[name] for row in rows] for name in names}
        connection.execute(_update_arrays(table, keys, names), arrays)
    else:
        each = [{f"the_{name}": row[name] for name in names} for row in rows]
        connection.execute(_update_one(table, keys, names), each)


@cache
def _insert_arrays(table: Table, names: tuple[str, ...], or_keep: bool) -> Executable:
    source = _unnested(table, names, "")
    statement = postgresql.insert(table).from_select(list(names), select(*(source.c[name] for name in names)))
    return statement.on_conflict_do_nothing() if or_keep else statement


@cache
def _update_arrays(table: Table, keys: tuple[str, ...], names: tuple[str, ...]) -> Executable:
    source = _unnested(table, names, "the_")
    statement = update(table).where(*(table.c[key] == source.c[key] for key in keys))
    return statement.values({name: source.c[name] for name in names if name not in keys})


@cache
def _update_one(table: Table, keys: tuple[str, ...], names: tuple[str, ...]) -> Executable:
    statement = update(table).where(*(table.c[key] == bindparam(f"the_{key}") for key in keys))
    return statement.values({name: bindparam(f"the_{name}") for name in names if name not in keys})


def _unnested(table: Table, names: tuple[str, ...], prefix: str) -> Any:
    arrays = [bindparam(f"{prefix}{name}", type_=postgresql.ARRAY(table.c[name].type)) for name in names]
    columns = (column(name, table.c[name].type) for name in names)
    return func.unnest(*arrays).table_valued(*columns, name="given").render_derived()

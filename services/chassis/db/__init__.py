"""Databases behind one verb: `await db.run(fn)` runs `fn(connection)` in one transaction, off the event
loop.
"""

from services.chassis.db.inline import InlineDatabase
from services.chassis.db.migrations import check_schema, contract, migrate, schema_differences
from services.chassis.db.port import Database
from services.chassis.db.postgres import PostgresDatabase
from services.chassis.db.sqlite import SqliteDatabase, open_database

__all__ = [
    "Database",
    "InlineDatabase",
    "PostgresDatabase",
    "SqliteDatabase",
    "check_schema",
    "contract",
    "migrate",
    "open_database",
    "schema_differences",
]

"""A checkpoint holds the table as its log has made it, whoever will need it."""

from __future__ import annotations

from engine import GAMES
from services.table.core import events as e
from services.table.core.table import NEVER, Table
from tests.simulation.client import Violation
from tests.simulation.logs import Logs
from tests.simulation.script import observables

LEFT_OUT = frozenset({"base", "since"})
"""From where a table goes on may differ; where it is may not."""


def judge_checkpoint(logs: Logs, event: e.TableCheckpoint) -> None:
    """Hold a checkpoint against the log up to it.

    Raises:
        Violation: Something is missing, or is not so.
    """
    told = logs.tables[event.table_id].table
    table_id = event.table_id
    if (event.base, list(event.since)) == (told.base, told.since):
        return
    mine, its = (
        _end_of(table_id, base, tuple(since))
        for base, since in ((told.base, told.since), (event.base, event.since))
    )
    for what, found in mine.items():
        if what not in LEFT_OUT and its[what] != found:
            raise Violation(f"a checkpoint of {table_id} does not have what its log says: {what}")


def _end_of(table_id: str, base: bytes, since: tuple[e.TableEvent, ...]) -> dict[str, object]:
    table = Table.restore(table_id, base, since, GAMES)
    table.advance(NEVER)
    return observables(table)

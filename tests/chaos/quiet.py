"""When everything that was begun is finished: no table plays, nothing is owed, every round is settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from paiju.economy.v1.events_pb2 import RoundSettled

from services.table.core import events as e
from services.table.core.events import decode_batch
from tests.chaos.gather import FACTS, LOGS, MIRROR, Entry, names, read
from tests.chaos.story import facts


def open_ends(streams: Mapping[str, Sequence[Entry]]) -> str:
    """Return what is not finished yet, by a quick look at the streams; empty = nothing."""
    made, ended, paid, coins = dict[str, int](), set[str](), set[tuple[str, str]](), set[str]()
    finished: set[str] = set()
    for name, entries in streams.items():
        if not name.startswith(LOGS):
            continue
        for entry in entries:
            for table_id, event in decode_batch(entry.payload):
                match event:
                    case e.TableCreated():
                        made[table_id] = len(event.spec.players)
                        if event.spec.stake is not None:
                            coins.add(table_id)
                    case e.MatchEnded():
                        ended.add(table_id)
                    case e.OutboxDone():
                        paid.add((table_id, event.key))
                    case e.RoundEnded():
                        finished.add(f"{table_id}/{event.round_no}")
                    case _:
                        pass
    for table_id, seats in made.items():
        if table_id not in ended:
            return f"{table_id} still plays"
        keys = ["match", *(f"close/{seat}" for seat in range(seats) if table_id in coins)]
        for key in keys:
            if (table_id, key) not in paid:
                return f"{table_id} still owes {key}"
    settled = {fact.round_id for fact in facts(streams.get("LEDGER", ()), RoundSettled)}
    waiting = sorted(finished - settled)
    return f"{waiting[0]} is not settled yet ({len(waiting)} rounds)" if waiting else ""


class Quiet:
    """Looks again and again whether everything that was begun is finished: tables, audits, money.

    Attributes:
        said: What is still open.
    """

    def __init__(self, js: JetStreamContext) -> None:
        self.said = "nothing was read yet"
        self._js = js
        self._read: dict[str, list[Entry]] = {}

    async def is_reached(self) -> bool:
        """Return whether nothing is open any more."""
        try:
            for name in await names(self._js):
                if name.startswith(MIRROR) or name in FACTS:
                    known = self._read.setdefault(name.removeprefix(MIRROR), [])
                    known += await read(self._js, name, known[-1].seq if known else 0)
        except (NatsError, OSError, TimeoutError) as error:
            self.said = f"the broker can't be read: {error!r}"
            return False
        self.said = open_ends(self._read)
        return not self.said

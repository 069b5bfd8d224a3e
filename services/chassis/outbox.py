"""Events that leave if, and only if, their transaction was committed: at least once, in order of writing."""

from __future__ import annotations

from google.protobuf.message import Message
from sqlalchemy import Connection, MetaData, Table


def outbox_table(metadata: MetaData) -> Table:
    """Return the table `outbox`, for a service's metadata; its migration makes it with `create_outbox(op)`."""
    raise NotImplementedError


def put(connection: Connection, message: Message, event_id: str) -> None:
    """Write an event in the caller's transaction. The same `event_id` twice is kept once."""
    raise NotImplementedError


class Outbox:
    """The relay of one database: `Outbox(db, bus, clock)`; `parts.spawn("outbox", outbox.run())`."""

    def poke(self) -> None:
        """Say that a transaction with events was committed; without it the relay looks every 500 ms."""

    async def run(self) -> None:
        """Publish what is written until cancelled; several relays of one table are safe."""

    async def relay_once(self) -> int:
        """Publish what is there now and return how many."""
        raise NotImplementedError

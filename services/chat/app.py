"""Wiring of chat."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

from google.protobuf.message import Message
from paiju.accounts.v1.events_pb2 import AccountDeleted
from paiju.chat.v1 import chat_service_pb2_grpc
from paiju.chat.v1.chat_service_pb2 import MessagePosted
from sqlalchemy import Connection

from services.chassis import log
from services.chassis.bus.port import Consumer, Delivery
from services.chassis.errors import Outage
from services.chassis.outbox import Outbox
from services.chassis.run import Consumes, Parts, Service, Wiring
from services.chat import store
from services.chat.api import ACCESS, Api
from services.chat.members import Members
from services.chat.settings import ChatSettings

TIDY_S = 600.0
DELETIONS = Consumes("chat-deletions", (AccountDeleted,))

_log = log.get(service="chat")


class Chat:
    """The service."""

    name = "chat"

    def __init__(self, parts: Parts, settings: ChatSettings, relay: Outbox) -> None:
        self._parts = parts
        self._settings = settings
        self._relay = relay
        self._consumer: Consumer | None = None

    async def start(self) -> None:
        """Publish what is posted, and forget what is old."""
        self._consumer = await self._parts.bus.consume(
            DELETIONS.durable, DELETIONS.types, self._on_deleted, batch=20
        )
        self._parts.spawn("chat-outbox", self._relay.run())
        self._parts.spawn("chat-tidy", self._tidy())

    async def stop(self) -> None:
        """Hear no more; what is not published yet is in the outbox."""
        if self._consumer is not None:
            await self._consumer.stop()

    async def _on_deleted(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Forget what people said who are gone; twice does nothing."""
        gone = [one.message.player_id for one in deliveries if isinstance(one.message, AccountDeleted)]

        def forget(connection: Connection) -> None:
            for player_id in gone:
                store.forget_player(connection, player_id)

        await self._parts.db("chat").run(forget)

    async def _tidy(self) -> None:
        while True:
            await self._parts.clock.sleep(TIDY_S * (0.5 + self._parts.ids.jitter()))
            before = self._parts.clock.now_ms() - self._settings.kept_hours * 3_600_000
            try:
                await self._parts.db("chat").run(partial(store.forget, before_ms=before))
            except Outage as outage:
                _log.warning("tidying_interrupted", why=str(outage))


async def wire(settings: ChatSettings, parts: Parts) -> Service:
    """Make the service."""
    phrases = frozenset(json.loads(settings.phrases_file.read_text(encoding="utf-8")))
    relay = Outbox(parts.db("chat"), parts.bus, parts.clock, parts.metrics, "chat")
    api = Api(parts, settings, Members(parts, settings), phrases, relay)
    parts.rpc.serve("chat", chat_service_pb2_grpc.add_ChatServiceServicer_to_server, api, ACCESS)
    return Chat(parts, settings, relay)


WIRING = Wiring("chat", wire, ChatSettings, says=(MessagePosted,), hears=(DELETIONS,))

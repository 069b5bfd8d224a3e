"""gRPC: what players say, and what was said."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from typing import Any, Final

from paiju.chat.v1 import chat_service_pb2 as pb

from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.errors import Refusal
from services.chassis.limits import Rate, RateLimits
from services.chassis.outbox import Outbox
from services.chassis.run import Parts
from services.chat import store
from services.chat.core.text import normalise
from services.chat.members import Members
from services.chat.settings import ChatSettings

ACCESS: Final[AccessTable] = {
    "PostMessage": "player",
    "ListMessages": "player",
    "ListPlayerMessages": "service",
}

TRIES = 3
PAGE = 20
PAGE_MAX = 100
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")

Context = Any


class Api:
    """The servicer."""

    def __init__(
        self, parts: Parts, settings: ChatSettings, members: Members, phrases: Collection[str], relay: Outbox
    ) -> None:
        self._clock = parts.clock
        self._ids = parts.ids
        self._db = parts.db("chat")
        self._settings = settings
        self._members = members
        self._phrases = phrases
        self._relay = relay
        self._limits = RateLimits(Rate(settings.messages_per_s, settings.messages_burst), parts.clock)
        posted = parts.metrics.counter("chat_messages", "Messages posted", ["kind"])
        self._posted = {True: posted.labels("phrase"), False: posted.labels("text")}

    async def PostMessage(self, request: pb.PostMessageRequest, context: Context) -> pb.PostMessageResponse:  # noqa: N802 - the proto names it
        """Say something."""
        player_id = auth.player()
        if not _REQUEST_ID.fullmatch(request.request_id):
            raise Refusal("INVALID_ARGUMENT", field="request_id")
        if request.text and request.phrase:
            raise Refusal("INVALID_ARGUMENT", field="phrase")
        if request.phrase and request.phrase not in self._phrases:
            raise Refusal("PHRASE_UNKNOWN")
        message = pb.ChatMessage(
            message_id=self._ids.new("m"),
            channel=request.channel,
            player_id=player_id,
            text="" if request.phrase else normalise(request.text),
            phrase=request.phrase,
            at_ms=self._clock.now_ms(),
        )
        await self._members.check_words(request.channel, player_id, is_phrase=bool(request.phrase))
        return pb.PostMessageResponse(message=await self._post(message, request.request_id))

    async def ListMessages(  # noqa: N802 - the proto names it
        self, request: pb.ListMessagesRequest, context: Context
    ) -> pb.ListMessagesResponse:
        """What was said last."""
        await self._members.check(request.channel, auth.player())
        most = self._settings.kept_per_channel
        found = await self._db.read(partial(store.last, channel=request.channel, most=most))
        return pb.ListMessagesResponse(messages=found)

    async def ListPlayerMessages(  # noqa: N802 - the proto names it
        self, request: pb.ListPlayerMessagesRequest, context: Context
    ) -> pb.ListPlayerMessagesResponse:
        """What one player has said."""
        token = request.page_token
        if not 0 <= request.page_size <= PAGE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size")
        if token and not (token.isascii() and token.isdigit() and len(token) <= 18):
            raise Refusal("INVALID_ARGUMENT", field="page_token")
        read = partial(
            store.of_player,
            player_id=request.player_id,
            below=int(token) if token else None,
            most=request.page_size or PAGE,
        )
        found, following = await self._db.read(read)
        return pb.ListPlayerMessagesResponse(messages=found, next_page_token=following)

    async def _post(self, message: pb.ChatMessage, request_id: str) -> pb.ChatMessage:
        there = await self._db.read(
            partial(
                store.find_request,
                player_id=message.player_id,
                channel=message.channel,
                request_id=request_id,
            )
        )
        if there is not None:
            return store.same(there, message)
        self._limits.take(message.player_id)
        write = partial(
            store.post, message=message, request_id=request_id, kept=self._settings.kept_per_channel
        )
        for _ in range(TRIES):
            try:
                posted = await self._db.run(write)
            except store.PostedAtOnce:
                continue
            self._relay.poke()
            self._posted[bool(message.phrase)].inc()
            return posted
        raise Refusal("RATE_LIMITED", retry_ms=100)

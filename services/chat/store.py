"""The last messages of each channel, in SQL, with the outbox of what was posted."""

from __future__ import annotations

from collections.abc import Sequence

from paiju.chat.v1.chat_service_pb2 import ChatMessage, MessagePosted
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    UniqueConstraint,
    delete,
    func,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError

from services.chassis import outbox
from services.chassis.errors import Refusal

metadata = MetaData()
outbox.outbox_table(metadata)

messages = Table(
    "messages",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("message_id", String(64), nullable=False, unique=True),
    Column("channel", String(96), nullable=False),
    Column("player_id", String(80), nullable=False),
    Column("request_id", String(64), nullable=False),
    Column("text", String(200), nullable=False),
    Column("phrase", String(32), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    UniqueConstraint("player_id", "channel", "request_id", name="messages_request"),
    Index("messages_channel", "channel", "seq"),
    Index("messages_at", "at_ms"),
)


class PostedAtOnce(Exception):
    """The same request is being written by another transaction: look again."""


def _message(row: Row[tuple[object, ...]]) -> ChatMessage:
    return ChatMessage(
        message_id=row.message_id,
        channel=row.channel,
        player_id=row.player_id,
        text=row.text,
        phrase=row.phrase,
        at_ms=row.at_ms,
    )


def find_request(connection: Connection, player_id: str, channel: str, request_id: str) -> ChatMessage | None:
    """Return what a request has posted."""
    row = connection.execute(
        select(messages).where(
            (messages.c.player_id == player_id)
            & (messages.c.channel == channel)
            & (messages.c.request_id == request_id)
        )
    ).first()
    return _message(row) if row else None


def post(connection: Connection, message: ChatMessage, request_id: str, kept: int) -> ChatMessage:
    """Write a message and what says so, and forget the oldest; a repeat of the request returns what is there.

    Raises:
        Refusal: REQUEST_ID_REUSED: the request said something else.
        PostedAtOnce: Look again.
    """
    there = find_request(connection, message.player_id, message.channel, request_id)
    if there is not None:
        return same(there, message)
    try:
        with connection.begin_nested():
            connection.execute(
                insert(messages).values(
                    message_id=message.message_id,
                    channel=message.channel,
                    player_id=message.player_id,
                    request_id=request_id,
                    text=message.text,
                    phrase=message.phrase,
                    at_ms=message.at_ms,
                )
            )
    except IntegrityError:
        raise PostedAtOnce from None
    posted = MessagePosted(message=message, channel=message.channel)
    outbox.put(connection, posted, f"chat:{message.message_id}")
    oldest = (
        select(messages.c.seq)
        .where(messages.c.channel == message.channel)
        .order_by(messages.c.seq.desc())
        .offset(kept)
        .limit(1)
        .scalar_subquery()
    )
    connection.execute(
        delete(messages).where((messages.c.channel == message.channel) & (messages.c.seq <= oldest))
    )
    return message


def same(there: ChatMessage, message: ChatMessage) -> ChatMessage:
    """Return what a request has posted, if it asked for this.

    Raises:
        Refusal: REQUEST_ID_REUSED.
    """
    if (there.text, there.phrase) != (message.text, message.phrase):
        raise Refusal("REQUEST_ID_REUSED")
    return there


def last(connection: Connection, channel: str, most: int) -> Sequence[ChatMessage]:
    """Return the last messages of a channel, oldest first."""
    rows = connection.execute(
        select(messages).where(messages.c.channel == channel).order_by(messages.c.seq.desc()).limit(most)
    ).all()
    return [_message(row) for row in reversed(rows)]


def forget(connection: Connection, before_ms: int) -> int:
    """Forget the channels in which nobody has spoken since then; return how many messages that were."""
    living = select(messages.c.channel).where(messages.c.at_ms >= before_ms)
    is_over = (messages.c.at_ms < before_ms) & messages.c.channel.not_in(living)
    return connection.execute(delete(messages).where(is_over)).rowcount


def of_player(
    connection: Connection, player_id: str, below: int | None, most: int
) -> tuple[list[ChatMessage], str]:
    """Return what a player has said, newest first, below a sequence; and where it goes on, or nothing."""
    wanted = select(messages).where(messages.c.player_id == player_id).order_by(messages.c.seq.desc())
    if below is not None:
        wanted = wanted.where(messages.c.seq < below)
    rows = connection.execute(wanted.limit(most + 1)).all()
    following = str(rows[most - 1].seq) if len(rows) > most else ""
    return [_message(row) for row in rows[:most]], following


def forget_player(connection: Connection, player_id: str) -> int:
    """Forget what a player has said; return how many messages that were."""
    return connection.execute(delete(messages).where(messages.c.player_id == player_id)).rowcount


def count(connection: Connection) -> int:
    """Return how many messages are kept."""
    return int(connection.execute(select(func.count()).select_from(messages)).scalar_one())

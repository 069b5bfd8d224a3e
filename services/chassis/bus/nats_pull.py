"""Pull consumers on NATS: a request that stays out, so that a message is here the moment it is stored."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Sequence

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import APIError, NotFoundError

from services.chassis.bus.base import ACK_WAIT_S, IN_FLIGHT_MAX, Raw
from services.chassis.clock import Clock
from services.chassis.errors import Outage

EXPIRES_S = 5.0
"""How long one pull request stays at the server."""
LATE_S = 1.0
"""Later than this after its expiry, a request is taken as lost."""
UNHEARD_S = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""The waits before a request of a new consumer that no server heard is sent again: in a cluster the servers
learn of a consumer some time after it was made."""
NS = 1_000_000_000


class NatsRaw:
    """One delivery."""

    __slots__ = ("_client", "_reply", "at_ms", "attempt", "headers", "payload", "seq", "subject", "waiting")

    def __init__(self, client: Client, message: Msg) -> None:
        # $JS.ACK[.<domain>.<account>].<stream>.<consumer>.<delivered>.<stream seq>.<consumer
        # seq>.<ns>.<pending>[.<token>]
        parts = message.reply.split(".")
        at = 4 if len(parts) == 9 else 6
        self._client = client
        self._reply = message.reply
        self.payload: bytes = message.data
        self.headers: dict[str, str] = message.headers or {}
        self.subject = message.subject
        self.attempt = int(parts[at])
        self.seq = int(parts[at + 1])
        self.at_ms = int(parts[at + 3]) // 1_000_000
        self.waiting = int(parts[at + 4])

    async def ack(self) -> None:
        """See `carrier.Raw.ack`."""
        await self._answer(b"+ACK")

    async def nak(self, delay_s: float) -> None:
        """See `carrier.Raw.nak`."""
        await self._answer(b'-NAK {"delay": %d}' % int(delay_s * NS))

    async def term(self) -> None:
        """See `carrier.Raw.term`."""
        await self._answer(b"+TERM")

    async def _answer(self, what: bytes) -> None:
        try:
            await self._client.publish(self._reply, what)
        except (NatsError, OSError) as error:
            raise Outage(f"an acknowledgement can't be sent: {error!r}") from error


class NatsPull:
    """An open pull consumer, durable or not."""

    def __init__(self, client: Client, clock: Clock, stream: str, consumer: str, unhandled: int = 0) -> None:
        self.unhandled = unhandled
        self._client = client
        self._clock = clock
        self._next = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        self._arrived: deque[Msg] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._asked = 0
        """How many deliveries the request that is out may still bring; 0 = none is out."""
        self._lost_at = 0.0
        self._heard = False
        """Whether the consumer has ever answered: one that has is gone when it does not."""
        self._unheard = 0
        self._broken = ""
        self._subscription: Subscription | None = None
        self.on_close: Callable[[], object] = lambda: None
        self.delete: Callable[[], object] | None = None

    async def begin(self) -> None:
        """Subscribe to the inbox that deliveries come to."""
        self._inbox = self._client.new_inbox()
        try:
            self._subscription = await self._client.subscribe(self._inbox, cb=self._take)
        except (NatsError, OSError) as error:
            raise Outage(f"can't subscribe: {error!r}") from error

    def ask_again(self) -> None:
        """Say that the request may be lost (the connection was)."""
        self._asked = 0
        self._wake()

    async def fetch(self, batch: int, linger_s: float) -> Sequence[Raw]:
        """See `carrier.Pull.fetch`."""
        if not self._arrived:
            await self._wait(batch)
            while self._unheard and not self._arrived and not self._broken:
                await self._clock.sleep(UNHEARD_S[self._unheard - 1])
                await self._wait(batch)
        if self._arrived and linger_s and len(self._arrived) < batch:
            await self._clock.sleep(linger_s)
        taken: list[Raw] = []
        while self._arrived and len(taken) < batch:
            taken.append(NatsRaw(self._client, self._arrived.popleft()))
        if not taken and self._broken:
            raise Outage(self._broken)
        return taken

    async def close(self) -> None:
        """Give back what has arrived and wasn't fetched, and unsubscribe."""
        self.on_close()
        try:
            for message in self._arrived:
                await self._client.publish(message.reply, b"-NAK")
            if self._subscription is not None:
                await self._subscription.unsubscribe()
        except (NatsError, OSError):
            # The connection is gone: the server gives them to another after the acknowledgement wait.
            return

    async def _wait(self, batch: int) -> None:
        now = self._clock.monotonic()
        if self._broken:
            raise Outage(self._broken)
        if self._asked <= 0 or now >= self._lost_at:
            await self._ask(batch)
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with self._clock.timeout(EXPIRES_S + LATE_S):
                await self._waiter
        except TimeoutError:
            self._asked = 0
        finally:
            self._waiter = None

    async def _ask(self, batch: int) -> None:
        request = json.dumps({"batch": batch, "expires": int(EXPIRES_S * NS)}).encode()
        try:
            await self._client.publish(self._next, request, reply=self._inbox)
        except (NatsError, OSError) as error:
            raise Outage(f"can't ask for more: {error!r}") from error
        self._asked = batch
        self._lost_at = self._clock.monotonic() + EXPIRES_S + LATE_S

    async def _take(self, message: Msg) -> None:
        status = (message.headers or {}).get("Status") if not message.reply else None
        if status == "503" and not self._heard and self._unheard < len(UNHEARD_S):
            self._asked = 0
            self._unheard += 1
            self._wake()
            return
        if status != "503":
            self._heard = True
            self._unheard = 0
        if status is None:
            self._arrived.append(message)
            self._asked -= 1
        elif status == "100":
            return
        else:
            self._asked = 0
            what = (message.headers or {}).get("Description", "")
            # 404 nothing there, 408 expired, 409 too many out: ask again. 503, or 409 for a consumer that
            # is gone: open again.
            if status == "503" or (status == "409" and "exceeded" not in what.lower()):
                self._broken = f"the consumer is gone: {status} {what}"
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


async def open_durable(
    client: Client, js: JetStreamContext, clock: Clock, stream: str, durable: str, subjects: Sequence[str]
) -> NatsPull:
    """Open a durable consumer; make it if `ensure_streams` hasn't.

    Raises:
        Outage: It can't be reached or made now.
    """
    config = durable_config(durable, subjects)
    try:
        try:
            info = await js.consumer_info(stream, durable)
            found = info.config.filter_subjects or [info.config.filter_subject or ""]
            if sorted(found) != sorted(subjects):
                info = await js.add_consumer(stream, config)
        except NotFoundError:
            info = await js.add_consumer(stream, config)
    except (NatsError, OSError) as error:
        raise Outage(f"consumer {durable} of {stream} can't be opened: {error!r}") from error
    pull = NatsPull(client, clock, stream, durable, (info.num_pending or 0) + (info.num_ack_pending or 0))
    await pull.begin()
    return pull


def durable_config(durable: str, subjects: Sequence[str]) -> ConsumerConfig:
    """Return how every durable consumer is: explicit acknowledgements, tried for ever, bounded in flight."""
    return ConsumerConfig(
        durable_name=durable,
        filter_subjects=sorted(subjects),
        deliver_policy=DeliverPolicy.ALL,
        ack_policy=AckPolicy.EXPLICIT,
        ack_wait=ACK_WAIT_S,
        max_deliver=-1,
        max_ack_pending=IN_FLIGHT_MAX,
    )


async def open_reader(
    client: Client,
    js: JetStreamContext,
    clock: Clock,
    stream: str,
    subjects: Sequence[str],
    from_seq: int,
    name: str,
) -> NatsPull:
    """Open a consumer that keeps nothing, and goes when it isn't used.

    Args:
        client: The connection.
        js: Its JetStream.
        clock: For the waits.
        stream: Which.
        subjects: Those to read. One alone stands in the call's own subject, by which a server holds a service
            to it; only an operator may read several.
        from_seq: The first sequence to read.
        name: The consumer's.

    Raises:
        Outage: It can't be made now.
    """
    subject = subjects[0] if len(subjects) == 1 else None
    config = ConsumerConfig(
        name=name,
        filter_subject=subject,
        filter_subjects=None if subject else sorted(subjects),
        deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
        opt_start_seq=from_seq,
        ack_policy=AckPolicy.NONE,
        inactive_threshold=30.0,
        mem_storage=True,
        num_replicas=1,
    )
    try:
        info = await js.add_consumer(stream, config)
    except APIError as error:
        raise Outage(f"{subject or stream} can't be read: {error.description}") from error
    except (NatsError, OSError) as error:
        raise Outage(f"{subject or stream} can't be read: {error!r}") from error
    pull = NatsPull(client, clock, stream, name, info.num_pending or 0)
    await pull.begin()
    return pull

"""Buckets on NATS: a stream per bucket, as every NATS client knows it, without watchers."""

from __future__ import annotations

import asyncio

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import APIError, NotFoundError

from services.chassis.bus.carrier import EXPECTED, MSG_ID, RETRY_S
from services.chassis.bus.port import Conflict, KvEntry
from services.chassis.clock import Clock
from services.chassis.errors import Outage
from services.chassis.ids import Ids

OPERATION = "KV-Operation"
WRONG_LAST_SEQUENCE = 10071
IN_FLIGHT = frozenset({10158, 10164})
"""On several replicas: the same write, or another's of this key, is on its way. Nobody knows yet who wins."""
WAIT_S = 2.0


class NatsBucket:
    """See `port.Bucket`.

    nats-py's own takes error 10164 (two writers at once: unknown) for a lost compare-and-set, and lists
    keys through a consumer made for each call.
    """

    def __init__(self, js: JetStreamContext, name: str, clock: Clock, ids: Ids) -> None:
        self._js = js
        self._clock = clock
        self._ids = ids
        self._stream = f"KV_{name}"
        self._prefix = f"$KV.{name}."

    async def get(self, key: str) -> KvEntry | None:
        """See `port.Bucket.get`."""
        found = await self._newest(key)
        return found[0] if found is not None and not found[1] else None

    async def put(self, key: str, value: bytes) -> int:
        """See `port.Bucket.put`."""
        return await self._write(key, value, {})

    async def create(self, key: str, value: bytes, gone_at: int = 0) -> int:
        """See `port.Bucket.create`."""
        try:
            return await self._write(key, value, {EXPECTED: str(gone_at)})
        except Conflict:
            found = await self._newest(key)
            if (found is None and not gone_at) or (found is not None and not found[1]):
                raise
            # A marker of a deleted key: it is absent, and its revision is what must be expected. Markers end
            # as values do.
            expected = found[0].revision if found is not None else 0
            return await self._write(key, value, {EXPECTED: str(expected)})

    async def update(self, key: str, value: bytes, revision: int) -> int:
        """See `port.Bucket.update`."""
        return await self._write(key, value, {EXPECTED: str(revision)})

    async def delete(self, key: str, revision: int | None = None) -> int:
        """See `port.Bucket.delete`."""
        headers = {OPERATION: "DEL"}
        if revision is not None:
            headers[EXPECTED] = str(revision)
        return await self._write(key, b"", headers)

    async def keys(self) -> list[str]:
        """See `port.Bucket.keys`."""
        return [entry.key for entry in await self.entries()]

    async def entries(self) -> list[KvEntry]:
        """See `port.Bucket.entries`."""
        found = await asyncio.gather(*(self.get(name) for name in await self.names()))
        return [entry for entry in found if entry is not None]

    async def names(self) -> list[str]:
        """See `port.Bucket.names`."""
        try:
            info = await self._js.stream_info(self._stream, subjects_filter=f"{self._prefix}>")
        except (NatsError, OSError) as error:
            raise Outage(f"{self._stream} can't be listed: {error!r}") from error
        return sorted(name.removeprefix(self._prefix) for name in info.state.subjects or {})

    async def _newest(self, key: str) -> tuple[KvEntry, bool] | None:
        """Return the newest message of a key, and whether it is a marker of its end."""
        found = await self._message(key)
        if found is None:
            return None
        assert found.seq is not None
        return KvEntry(key, found.data or b"", found.seq), OPERATION in (found.headers or {})

    async def _message(self, key: str) -> RawStreamMsg | None:
        try:
            # Not a direct get: that may be answered by a replica that is behind.
            return await self._js.get_msg(self._stream, subject=self._prefix + key, direct=False)
        except NotFoundError:
            return None
        except (NatsError, OSError) as error:
            raise Outage(f"{self._prefix}{key} can't be read: {error!r}") from error

    async def _write(self, key: str, value: bytes, headers: dict[str, str]) -> int:
        """Write, the same bytes under the same id, until the outcome is known or `WAIT_S` is over."""
        subject, msg_id = self._prefix + key, self._ids.new("w")
        until = self._clock.monotonic() + WAIT_S
        tries = 0
        while True:
            try:
                answer = await self._js.publish(
                    subject, value, timeout=WAIT_S, headers={**headers, MSG_ID: msg_id}
                )
            except APIError as error:
                if error.err_code == WRONG_LAST_SEQUENCE:
                    return await self._won(key, msg_id, tries)
                if error.err_code not in IN_FLIGHT or self._clock.monotonic() > until:
                    raise Outage(f"{subject}: {error.description}") from error
            except (NatsError, OSError) as error:
                raise Outage(f"{subject} can't be written: {error!r}") from error
            else:
                return answer.seq
            await self._clock.sleep(RETRY_S[min(tries, len(RETRY_S) - 1)] * (0.5 + self._ids.jitter()))
            tries += 1

    async def _won(self, key: str, msg_id: str, tries: int) -> int:
        """Return the revision if the write that was refused is in the bucket: by a try before."""
        found = await self._message(key) if tries else None
        if found is None or found.seq is None or (found.headers or {}).get(MSG_ID) != msg_id:
            raise Conflict(key)
        return found.seq

"""Buckets on NATS: a stream per bucket, as every NATS client knows it, without watchers."""

from __future__ import annotations

import asyncio

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.errors import APIError, NotFoundError

from services.chassis.bus.base import EXPECTED
from services.chassis.bus.port import Conflict, KvEntry
from services.chassis.errors import Outage

OPERATION = "KV-Operation"
WRONG_LAST_SEQUENCE = 10071
WAIT_S = 2.0


class NatsBucket:
    """See `port.Bucket`.

    nats-py's own takes error 10164 (two writers at once: unknown) for a lost compare-and-set, and lists
    keys through a consumer made for each call.
    """

    def __init__(self, js: JetStreamContext, name: str) -> None:
        self._js = js
        self._stream = f"KV_{name}"
        self._prefix = f"$KV.{name}."

    async def get(self, key: str) -> KvEntry | None:
        """See `port.Bucket.get`."""
        found = await self._newest(key)
        return found[0] if found is not None and not found[1] else None

    async def put(self, key: str, value: bytes) -> int:
        """See `port.Bucket.put`."""
        return await self._write(key, value, {})

    async def create(self, key: str, value: bytes) -> int:
        """See `port.Bucket.create`."""
        try:
            return await self._write(key, value, {EXPECTED: "0"})
        except Conflict:
            found = await self._newest(key)
            if found is None or not found[1]:
                raise
            # A marker of a deleted key: it is absent, and its revision is what must be expected.
            return await self._write(key, value, {EXPECTED: str(found[0].revision)})

    async def update(self, key: str, value: bytes, revision: int) -> int:
        """See `port.Bucket.update`."""
        return await self._write(key, value, {EXPECTED: str(revision)})

    async def delete(self, key: str, revision: int | None = None) -> None:
        """See `port.Bucket.delete`."""
        headers = {OPERATION: "DEL"}
        if revision is not None:
            headers[EXPECTED] = str(revision)
        await self._write(key, b"", headers)

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
        try:
            found = await self._js.get_msg(self._stream, subject=self._prefix + key, direct=False)
        except NotFoundError:
            return None
        except (NatsError, OSError) as error:
            raise Outage(f"{self._prefix}{key} can't be read: {error!r}") from error
        assert found.seq is not None
        return KvEntry(key, found.data or b"", found.seq), OPERATION in (found.headers or {})

    async def _write(self, key: str, value: bytes, headers: dict[str, str]) -> int:
        try:
            answer = await self._js.publish(self._prefix + key, value, timeout=WAIT_S, headers=headers)
        except APIError as error:
            if error.err_code == WRONG_LAST_SEQUENCE:
                raise Conflict(key) from error
            raise Outage(f"{self._prefix}{key}: {error.description}") from error
        except (NatsError, OSError) as error:
            raise Outage(f"{self._prefix}{key} can't be written: {error!r}") from error
        return answer.seq

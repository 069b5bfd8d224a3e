"""Making streams, consumers and buckets: `paiju migrate`, under an operator's login."""

from __future__ import annotations

from collections.abc import Iterable

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import (
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)
from nats.js.errors import APIError, NotFoundError

from services.chassis.bus.nats_pull import durable_config
from services.chassis.bus.registry import BucketSpec, Consumes, Registry, StreamSpec
from services.chassis.errors import Defect, Outage

DEDUPE_S = 120.0
UNAVAILABLE = 503
"""What a cluster answers while it has no leader, or too few servers for the replicas asked for."""


async def ensure_streams(js: JetStreamContext, registry: Registry, replicas: int = 1) -> list[str]:
    """Make every stream, bucket and durable consumer of a registry, or bring it up to date; return what
    was changed.

    Nothing is ever removed, and no stream loses a message by it.

    Raises:
        Outage: JetStream can't be reached.
        Defect: A stream exists in a way that can't be changed (the server says how).
    """
    changed: list[str] = []
    await _refuse_other_spread(js, registry)
    for spec in registry.streams:
        await _ensure(js, stream_config(spec, replicas), changed)
    for bucket in registry.buckets.values():
        await _ensure(js, bucket_config(bucket, replicas), changed)
    for consumer in registry.consumes:
        for stream, subjects in consumer.by_stream().items():
            try:
                await js.add_consumer(stream, durable_config(consumer.durable, subjects))
            except (NatsError, OSError) as error:
                raise Outage(f"consumer {consumer.durable} of {stream} can't be made: {error!r}") from error
    return changed


async def drop_consumers(js: JetStreamContext, retired: Iterable[Consumes]) -> list[str]:
    """Remove durable consumers that no process of this release uses; return those that were there.

    No message is lost by it, and what they were given to handle again stays in the `DLQ`.

    Raises:
        Outage: JetStream can't be reached.
    """
    dropped: list[str] = []
    for consumer in retired:
        for stream in consumer.by_stream():
            try:
                await js.delete_consumer(stream, consumer.durable)
            except NotFoundError:
                continue
            except (NatsError, OSError) as error:
                raise Outage(
                    f"consumer {consumer.durable} of {stream} can't be removed: {error!r}"
                ) from error
            dropped.append(consumer.durable)
    return dropped


def stream_config(spec: StreamSpec, replicas: int) -> StreamConfig:
    """Return how a stream is kept: on disk, refusing rather than dropping."""
    return StreamConfig(
        name=spec.name,
        subjects=list(spec.subjects),
        retention=RetentionPolicy.LIMITS,
        storage=StorageType.FILE,
        num_replicas=replicas,
        discard=DiscardPolicy.NEW,
        max_age=spec.max_age_s,
        duplicate_window=DEDUPE_S,
        allow_direct=True,
        deny_delete=True,
        deny_purge=not spec.is_log,
    )


def bucket_config(spec: BucketSpec, replicas: int) -> StreamConfig:
    """Return the stream behind a bucket, as NATS' key-value convention wants it."""
    return StreamConfig(
        name=f"KV_{spec.name}",
        subjects=[f"$KV.{spec.name}.>"],
        # On disk, even what lives for seconds: a single server that starts again has forgotten a
        # stream in memory, and nobody but `paiju migrate` may make it anew.
        storage=StorageType.FILE,
        num_replicas=replicas,
        discard=DiscardPolicy.NEW,
        max_age=spec.ttl_s,
        max_msgs_per_subject=1,
        duplicate_window=min(DEDUPE_S, spec.ttl_s) if spec.ttl_s else DEDUPE_S,
        allow_direct=True,
        allow_rollup_hdrs=True,
        deny_delete=True,
    )


async def _refuse_other_spread(js: JetStreamContext, registry: Registry) -> None:
    """Refuse a number of streams per log that would move a shard's log to another stream."""
    for spec in registry.streams:
        if not spec.is_log:
            continue
        for subject in spec.subjects:
            try:
                found = await js.find_stream_name_by_subject(subject)
            except NotFoundError:
                continue
            except (NatsError, OSError) as error:
                raise Outage(f"JetStream can't be reached: {error!r}") from error
            if found != spec.name:
                raise Defect(
                    f"{subject} is kept by {found} and would move to {spec.name}: the number of streams of "
                    "a log (PAIJU_LOG_STREAMS) stays as it was at first; the number of shards may grow"
                )


async def _ensure(js: JetStreamContext, config: StreamConfig, changed: list[str]) -> None:
    assert config.name is not None
    try:
        try:
            have = (await js.stream_info(config.name)).config
        except NotFoundError:
            await js.add_stream(config)
            changed.append(config.name)
            return
        # What the registry of an older or smaller deployment listed stays listed: its messages are still
        # there.
        config.subjects = sorted({*(have.subjects or []), *(config.subjects or [])})
        same = (
            have.subjects is not None
            and sorted(have.subjects) == config.subjects
            and have.num_replicas == config.num_replicas
            and (have.max_age or 0) == (config.max_age or 0)
        )
        if not same:
            await js.update_stream(config)
            changed.append(config.name)
    except APIError as error:
        if error.code == UNAVAILABLE:
            raise Outage(f"JetStream can't make {config.name} now: {error}") from error
        raise Defect(f"stream {config.name} can't be made or changed: {error}") from error
    except (NatsError, OSError) as error:
        raise Outage(f"JetStream can't be reached: {error!r}") from error

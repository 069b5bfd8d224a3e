"""What each service may say and hear at the broker, derived from what it declares in its `WIRING`.

An allow-list: whatever is not named is refused. Streams, buckets and consumers are made by `paiju migrate` as
`operator`, since whoever may create a stream may source another one and read what was never meant for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.chassis.bus.registry import (
    ALIVE,
    KEYS,
    QUOTAS,
    REVOKED,
    SHARDS,
    BucketSpec,
    LogSpec,
    dlq_subject,
    event_of,
    replay_subject,
    shard_freed_subject,
)
from services.chassis.run import Wiring

OPERATOR = "operator"
"""Makes streams, buckets and consumers; may do everything."""


@dataclass(frozen=True)
class AllowList:
    """The subjects one user may publish and subscribe to.

    Attributes:
        answers: Whether it may answer a request that has reached it, once, within a minute: only those who
            are ever asked.
    """

    user: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]
    answers: bool


def allow_list(wiring: Wiring, log_streams: int) -> AllowList:
    """Return what one service may do.

    Args:
        wiring: What the service declares.
        log_streams: How many streams the deployment spreads a log over.
    """
    publish: set[str] = set(wiring.tells)
    for fact in wiring.says:
        publish.add(f"{event_of(fact).prefix}.*")
    for consumer in wiring.hears:
        publish.add(dlq_subject(consumer.durable))
        for stream in consumer.by_stream():
            publish.update(_own_consumer(stream, consumer.durable))
    for log in wiring.logs:
        publish.update(_own_log(log, log_streams))
    for bucket in wiring.buckets:
        publish.add(f"$KV.{bucket.name}.>")
    for bucket in (ALIVE, SHARDS):
        # Leases are kept under the name of the service that takes them.
        publish.add(f"$KV.{bucket.name}.{wiring.name}.>")
    publish.add(shard_freed_subject(wiring.name, "*"))
    # Whoever takes calls of programs counts them.
    publish.add(f"$KV.{QUOTAS.name}.>")
    for bucket in {ALIVE, SHARDS, KEYS, REVOKED, QUOTAS, *wiring.buckets}:
        publish.update(_reads_of(bucket))
    replays = {replay_subject(consumer.durable) for consumer in wiring.hears}
    freed = shard_freed_subject(wiring.name, "*")
    subscribe = {f"{inbox_prefix(wiring.name)}.>", freed, *wiring.listens, *replays}
    # Asked are the owners of a log's shards, and whoever has consumers, by an operator who replays.
    answers = bool(wiring.hears or wiring.logs)
    return AllowList(wiring.name, tuple(sorted(publish)), tuple(sorted(subscribe)), answers)


def inbox_prefix(user: str) -> str:
    """Return the prefix of the inboxes that only this user may listen to."""
    return f"_INBOX_{user}"


def _own_consumer(stream: str, durable: str) -> Iterable[str]:
    yield f"$JS.API.CONSUMER.INFO.{stream}.{durable}"
    yield f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}"
    yield f"$JS.ACK.{stream}.{durable}.>"


def _own_log(log: LogSpec, log_streams: int) -> Iterable[str]:
    every_shard = log.subject("*")
    yield every_shard
    for number in range(log_streams):
        stream = f"{log.name}_{number}"
        yield f"$JS.API.STREAM.MSG.GET.{stream}"
        yield f"$JS.API.STREAM.PURGE.{stream}"
        # A reader is an ephemeral consumer with a name of its own; the server holds it to the subject.
        yield f"$JS.API.CONSUMER.CREATE.{stream}.*.{every_shard}"
        yield f"$JS.API.CONSUMER.MSG.NEXT.{stream}.*"


def _reads_of(bucket: BucketSpec) -> Iterable[str]:
    """Who is alive, who owns what, public keys, what is revoked are no secrets: every service reads them."""
    yield f"$JS.API.STREAM.MSG.GET.KV_{bucket.name}"
    yield f"$JS.API.STREAM.INFO.KV_{bucket.name}"


def nats_conf(lists: Iterable[AllowList]) -> str:
    """Return the broker's configuration for a deployment, with one user per service.

    Passwords come from the environment of nats-server: `NATS_PASSWORD_<USER>`.
    """
    users = "\n".join(map(_user, lists))
    return f"""\
# Written by `make deploy-nats` from what the services declare; edit those, not this.
server_name: paiju
listen: "0.0.0.0:4222"
http: "127.0.0.1:8222"
max_payload: 1MB

jetstream {{
  store_dir: /data
  sync_interval: always
}}

authorization {{
  users: [
    {{ user: {OPERATOR}, password: $NATS_PASSWORD_{OPERATOR.upper()} }}
{users}
  ]
}}
"""


def _user(allowed: AllowList) -> str:
    answers = '\n        allow_responses: { max: 1, expires: "1m" }' if allowed.answers else ""
    return f"""\
    {{
      user: {allowed.user}
      password: $NATS_PASSWORD_{allowed.user.upper()}
      permissions: {{
        publish: {{ allow: {_list(allowed.publish)} }}
        subscribe: {{ allow: {_list(allowed.subscribe)} }}{answers}
      }}
    }}"""


def _list(subjects: Sequence[str]) -> str:
    inside = "".join(f"\n          {json.dumps(subject)}," for subject in subjects)
    return f"[{inside}\n        ]"

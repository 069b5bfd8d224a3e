"""What each service may say and hear at the broker, derived from what it declares in its `WIRING`.

An allow-list: whatever is not named is refused. Streams, buckets and consumers are made by `paiju migrate` as
`operator`, since whoever may create a stream may source another one and read what was never meant for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.chassis.bus.registry import Registry, event_of
from services.chassis.run import Wiring

OPERATOR = "operator"
"""Makes streams, buckets and consumers; may do everything."""


@dataclass(frozen=True)
class AllowList:
    """The subjects one user may publish and subscribe to; answering a request is always allowed."""

    user: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def allow_list(wiring: Wiring, registry: Registry) -> AllowList:
    """Return what one service may do.

    Args:
        wiring: What the service declares.
        registry: Of that service alone, with the deployment's numbers of shards and log streams.
    """
    publish: set[str] = {"paiju.dlq.*", *wiring.tells}
    for fact in wiring.says:
        publish.add(f"{event_of(fact).prefix}.*")
    for consumer in wiring.hears:
        for stream in consumer.by_stream():
            publish.update(_own_consumer(stream, consumer.durable))
    for spec in registry.streams:
        if spec.is_log:
            publish.update(_own_log(spec.name, spec.subjects))
    for bucket in registry.buckets:
        publish.update(_bucket(bucket))
    subscribe = {f"{inbox_prefix(wiring.name)}.>", *wiring.listens}
    return AllowList(wiring.name, tuple(sorted(publish)), tuple(sorted(subscribe)))


def inbox_prefix(user: str) -> str:
    """Return the prefix of the inboxes that only this user may listen to."""
    return f"_INBOX_{user}"


def _own_consumer(stream: str, durable: str) -> Iterable[str]:
    yield f"$JS.API.CONSUMER.INFO.{stream}.{durable}"
    yield f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}"
    yield f"$JS.ACK.{stream}.{durable}.>"


def _own_log(stream: str, subjects: Sequence[str]) -> Iterable[str]:
    yield from subjects
    yield f"$JS.API.STREAM.MSG.GET.{stream}"
    yield f"$JS.API.STREAM.PURGE.{stream}"
    # A reader is an ephemeral consumer with a name of its own; the server holds it to the subject.
    yield from (f"$JS.API.CONSUMER.CREATE.{stream}.*.{subject}" for subject in subjects)
    yield f"$JS.API.CONSUMER.MSG.NEXT.{stream}.*"


def _bucket(name: str) -> Iterable[str]:
    yield f"$KV.{name}.>"
    yield f"$JS.API.STREAM.MSG.GET.KV_{name}"
    yield f"$JS.API.STREAM.INFO.KV_{name}"


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
    return f"""\
    {{
      user: {allowed.user}
      password: $NATS_PASSWORD_{allowed.user.upper()}
      permissions: {{
        publish: {{ allow: {_list(allowed.publish)} }}
        subscribe: {{ allow: {_list(allowed.subscribe)} }}
        allow_responses: {{ max: 1, expires: "1m" }}
      }}
    }}"""


def _list(subjects: Sequence[str]) -> str:
    inside = "".join(f"\n          {json.dumps(subject)}," for subject in subjects)
    return f"[{inside}\n        ]"

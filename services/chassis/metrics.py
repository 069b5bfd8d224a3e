"""One Prometheus registry per process; names begin with `paiju_`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics import MetricWrapperBase

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Buckets for durations from a millisecond to ten seconds."""

_Metric = TypeVar("_Metric", bound=MetricWrapperBase)


class Metrics:
    """The registry. Asking for a metric twice gives the same one, so that several services of a process
    may share it.

    Label children cost more to look up than to count: keep `counter.labels(…)` where it is hot.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._made: dict[str, MetricWrapperBase] = {}

    def counter(self, name: str, what: str, labels: Sequence[str] = ()) -> Counter:
        """Return the counter `paiju_<name>` (without `_total`, which is added)."""
        return self._one(Counter, name, what, labels)

    def gauge(self, name: str, what: str, labels: Sequence[str] = ()) -> Gauge:
        """Return the gauge `paiju_<name>`."""
        return self._one(Gauge, name, what, labels)

    def histogram(
        self, name: str, what: str, labels: Sequence[str] = (), buckets: Sequence[float] = SECONDS
    ) -> Histogram:
        """Return the histogram `paiju_<name>`."""
        return self._one(Histogram, name, what, labels, buckets=tuple(buckets))

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self.registry)

    def _one(
        self, kind: type[_Metric], name: str, what: str, labels: Sequence[str], **more: object
    ) -> _Metric:
        made = self._made.get(name)
        if made is None:
            made = kind(f"paiju_{name}", what, tuple(labels), registry=self.registry, **more)  # type: ignore[arg-type] # `more` is buckets of a histogram
            self._made[name] = made
        assert isinstance(made, kind), f"metric {name} is a {type(made).__name__}"
        assert tuple(made._labelnames) == tuple(labels), f"metric {name} has labels {made._labelnames}"
        return made

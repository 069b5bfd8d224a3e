"""Whether each service of this process serves: behind gRPC health, `/healthz` and `/readyz`."""

from __future__ import annotations

from collections.abc import Callable


class Health:
    """The state of each service in this process. A service is not serving until it says so."""

    def __init__(self) -> None:
        self._serving: dict[str, bool] = {}
        self._listeners: list[Callable[[str, bool], None]] = []

    def set(self, service: str, serving: bool) -> None:
        """Say whether a service serves."""
        if self._serving.get(service) != serving:
            self._serving[service] = serving
            for listener in self._listeners:
                listener(service, serving)

    def serving(self, service: str) -> bool:
        """Return whether a service has said that it serves."""
        return self._serving.get(service, False)

    def all_serving(self) -> bool:
        """Return whether there is at least one service and all serve."""
        return bool(self._serving) and all(self._serving.values())

    def states(self) -> dict[str, bool]:
        """Return each service's state, by name."""
        return dict(sorted(self._serving.items()))

    def listen(self, listener: Callable[[str, bool], None]) -> None:
        """Call `listener` for each state, now and whenever one changes."""
        self._listeners.append(listener)
        for service, serving in self._serving.items():
            listener(service, serving)

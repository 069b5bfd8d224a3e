"""Whether each service of this process serves: behind gRPC health, `/healthz` and `/readyz`."""

from __future__ import annotations

import ssl
from collections.abc import Callable

from aiohttp import web

from services.chassis.errors import Outage
from services.chassis.metrics import Metrics


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


class Site:
    """An aiohttp application that listens on one port."""

    def __init__(self, app: web.Application, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=2.0)
        self._host = host
        self._wanted = port
        self._tls = tls
        self.port = 0
        """Where it listens; 0 before `start`."""

    async def start(self) -> None:
        """Listen.

        Raises:
            Outage: The port is taken.
        """
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self._wanted, ssl_context=self._tls).start()
        except OSError as error:
            await self._runner.cleanup()
            raise Outage(f"HTTP can't listen on {self._host}:{self._wanted}: {error}") from error
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening and end the connections."""
        await self._runner.cleanup()


def operator_app(
    health: Health, metrics: Metrics, is_alive: Callable[[], bool] = lambda: True
) -> web.Application:
    """Return the operator's door: `/metrics`, `/healthz` (the process works) and `/readyz` (all services
    serve).
    """

    async def show_metrics(request: web.Request) -> web.Response:
        return web.Response(
            body=metrics.text(), headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}
        )

    async def show_life(request: web.Request) -> web.Response:
        return web.json_response({"alive": is_alive()}, status=200 if is_alive() else 503)

    async def show_readiness(request: web.Request) -> web.Response:
        return web.json_response(health.states(), status=200 if health.all_serving() else 503)

    app = web.Application(client_max_size=1024)
    app.router.add_get("/metrics", show_metrics)
    app.router.add_get("/healthz", show_life)
    app.router.add_get("/readyz", show_readiness)
    return app

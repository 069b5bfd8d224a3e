"""Settings of the gateway (`PAIJU_GATEWAY_*`)."""

from __future__ import annotations

from pydantic import Field

from services.chassis.config import ServiceSettings, prefixed


class GatewaySettings(ServiceSettings):
    """Where players connect, and the limits on what they may do there."""

    model_config = prefixed("PAIJU_GATEWAY_")

    http_host: str = "127.0.0.1"
    http_port: int = Field(default=8080, ge=0, le=65535)
    """The page and the WebSocket; 0 = any free port."""
    allowed_origins: tuple[str, ...] = ()
    """Web sites (`https://play.example`) whose pages may connect, besides the one served here; JSON."""
    allowed_hosts: tuple[str, ...] = ()
    """Names (`play.example`, without a port) under which browsers may reach this door; JSON. Empty: on a
    loopback address without a proxy in front, the names of the loopback and `http_host`; elsewhere any."""
    trusted_proxies: int = Field(default=0, ge=0, le=8)
    """Proxies in front that append to `X-Forwarded-For`; 0 = the address of the connection counts."""
    connections_max: int = Field(default=20_000, ge=1)
    connections_per_player_max: int = Field(default=4, ge=1)
    """The oldest is closed for a newer one (`REPLACED`)."""
    connections_per_address_max: int = Field(default=500, ge=1)
    strangers_per_address_max: int = Field(default=200, ge=1)
    """Of those, how many may not yet have said who they are; and how many connections without a request."""
    head_s: float = Field(default=10.0, gt=0)
    """How long a client over HTTP may take to send the head of a request."""
    address_requests_per_s: float = Field(default=100.0, gt=0)
    address_requests_burst: float = Field(default=500.0, ge=1)
    """Connections and single calls, per address, whoever makes them: before any token is looked at."""
    wrong_codes_per_s: float = Field(default=0.1, gt=0)
    wrong_codes_burst: float = Field(default=20.0, ge=1)
    """Codes of rooms that there are not, per address, whoever types them; beyond it no code is looked up."""
    hello_s: float = Field(default=10.0, gt=0)
    """How long a connection may be silent about who it is."""
    idle_s: float = Field(default=90.0, gt=0)
    """Clients ping each 20 s at least, but a browser wakes the timers of a hidden page once a minute."""
    probe_s: float = Field(default=20.0, gt=0)
    """A WebSocket that is silent for so long is pinged; browsers answer by themselves, also hidden pages."""
    probe_answer_s: float = Field(default=10.0, gt=0)
    """One that does not answer within this is dead, whatever TCP believes. gRPC pings by itself, as often."""
    messages_per_s: float = Field(default=20.0, gt=0)
    messages_burst: float = Field(default=60.0, ge=1)
    """Per connection; a connection that exceeds it tenfold is closed (`TOO_MANY_REQUESTS`)."""
    player_messages_per_s: float = Field(default=40.0, gt=0)
    player_messages_burst: float = Field(default=120.0, ge=1)
    """Per player, over all connections to this process."""
    queue_items_max: int = Field(default=512, ge=8)
    queue_bytes_max: int = Field(default=512 * 1024, ge=64 * 1024)
    """Messages that wait for one client; beyond it the connection is closed (`TOO_SLOW`)."""
    calls_at_once_max: int = Field(default=8, ge=1)
    tables_per_session_max: int = Field(default=4, ge=1)
    drain_s: float = Field(default=2.0, ge=0, le=60)
    """How long connections may take to read their goodbye."""

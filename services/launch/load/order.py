"""What a load test is told to do, checked before anything starts."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from engine import GAMES, Refusal
from services.launch.exits import USAGE, Stop

SEATINGS: Final = ("quick", "quick-bots", "room", "room-bots", "table", "table-bots")
"""Ways to a table: a hall's queue with people or with bots, a room of one's own with friends or with bots, or
a table made with the service key."""

DOORS: Final = ("websocket", "grpc", "both")
POLICIES: Final = ("fallback", "random", "easy", "normal")
CHECKS: Final = ("full", "frames")
SEATS_MAX: Final = 100_000
LOOPBACK: Final = "127.64.0.0/10"
ADDRESSES_MIN: Final = 4

_THINK = re.compile(r"(\d+(?:\.\d+)?)(?::(\d+(?:\.\d+)?))?")


@dataclass(frozen=True, slots=True)
class Order:
    """All of it; the command's help says what each is for."""

    url: str
    """Of one gateway; `others` are further ones."""
    grpc: str = ""
    """Of the gateways, in their order, separated by commas."""
    others: tuple[str, ...] = ()
    games: tuple[tuple[str, str], ...] = ()
    """Game and preset, each as likely."""
    seats: int = 100
    rate: float = 10.0
    seconds: float = 60.0
    drain_s: float = 60.0
    patience_s: float = 30.0
    """So long players try what does not work, before they give up."""
    seating: str = "quick-bots"
    level: str = "novice"
    rounds: int = 4
    matches: float = 3.0
    rest_ms: float = 2000.0
    policy: str = "random"
    think_ms: float = 600.0
    think_sigma: float = 0.6
    door: str = "websocket"
    slow: float = 0.0
    slow_ms: float = 500.0
    watch: int = 0
    drop_every_s: float = 0.0
    drop_share: float = 0.5
    drop_spread_ms: float = 1000.0
    check: str = "full"
    nonces: bool = True
    jobs: int = 1
    seed: str = "1"
    key: str = ""
    """The service key, for `table` and `table-bots`."""
    shards: int = 4
    """Shards of tables that the platform has (`PAIJU_LOG_SHARDS`), for the same."""
    timing_json: str = ""
    transcripts: Path | None = None
    """A folder for what every player was told and said (`tape.py`)."""
    network: str = ""
    """Each player connects from an address of its own, in here; empty = all from any."""

    @property
    def urls(self) -> tuple[str, ...]:
        """Where the gateways' pages are."""
        return (self.url, *self.others)

    @property
    def grpcs(self) -> tuple[str, ...]:
        """Where the gateways take gRPC."""
        return tuple(filter(None, self.grpc.split(",")))

    @property
    def ramp_s(self) -> float:
        """How long it takes until all seats are taken."""
        return self.seats / self.rate

    @property
    def until_s(self) -> float:
        """When the last player arrives."""
        return self.ramp_s + self.seconds

    @property
    def has_parties(self) -> bool:
        """Whether people who know each other fill a table."""
        return self.seating in ("room", "table")

    def check_it(self) -> None:
        """Refuse what can't be done.

        Raises:
            Stop: The first thing that is wrong (`USAGE`).
        """
        _among("--seating", self.seating, SEATINGS)
        _among("--bots", self.policy, POLICIES)
        _among("--door", self.door, DOORS)
        _among("--check", self.check, CHECKS)
        for url in self.urls:
            if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
                raise Stop(USAGE, f"{url!r} is no address of a page, such as http://127.0.0.1:8080/")
        if self.network:
            try:
                parsed = ip_network(self.network)
            except ValueError as error:
                raise Stop(USAGE, f"--from is a network, such as 198.19.1.0/24: {error}") from error
            if parsed.num_addresses < ADDRESSES_MIN:
                raise Stop(USAGE, f"--from holds at least {ADDRESSES_MIN} addresses")
        if (self.door != "websocket" or self.seating.startswith("table")) and not self.grpc:
            raise Stop(USAGE, "--grpc is missing: where gRPC is, as `paiju up` prints it")
        if self.door != "websocket" and len(self.grpcs) != len(self.urls):
            raise Stop(USAGE, f"--grpc names one address for each page, {len(self.urls)} in all")
        if self.seating.startswith("table") and not self.key:
            raise Stop(USAGE, "tables made directly need the service key: --key-file or PAIJU_SERVICE_KEY")
        if not 0 < self.rate <= SEATS_MAX or not 0 < self.seats <= SEATS_MAX:
            raise Stop(USAGE, f"--rate and --seats are above 0 and at most {SEATS_MAX}")
        for name, share in (("--slow", self.slow), ("--drop-share", self.drop_share)):
            if not 0 <= share <= 1:
                raise Stop(USAGE, f"{name} is a share, from 0 to 1")
        for game, _ in self.games:
            if self.policy != "fallback" and self.policy not in GAMES[game].bots:
                raise Stop(USAGE, f"{game} has no bot called {self.policy!r}")


def _among(option: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise Stop(USAGE, f"{option} is one of {', '.join(known)}, not {given!r}")


def parse_games(text: str) -> tuple[tuple[str, str], ...]:
    """Return games with presets from `paohuzi,doudizhu/qiang`; empty: every game with its first preset.

    Raises:
        Stop: No such game or preset (`USAGE`).
    """
    chosen = []
    for word in filter(None, text.split(",")) if text else GAMES:
        name, _, preset = word.partition("/")
        try:
            preset = preset or next(iter(GAMES[name].presets))
            GAMES[name].ruleset(preset)
        except Refusal as refusal:
            raise Stop(USAGE, str(refusal)) from refusal
        except KeyError as error:
            raise Stop(USAGE, f"no game is called {name!r}; there are {', '.join(GAMES)}") from error
        chosen.append((name, preset))
    return tuple(chosen)


def parse_think(text: str) -> tuple[float, float]:
    """Return the median in milliseconds and the spread of `600` or `600:0.6`.

    Raises:
        Stop: It is neither (`USAGE`).
    """
    found = _THINK.fullmatch(text)
    if found is None:
        raise Stop(USAGE, f"--think-ms is a median, or median:spread, such as 600:0.6, not {text!r}")
    return float(found[1]), float(found[2]) if found[2] else 0.6


def is_loopback_here(urls: Sequence[str]) -> bool:
    """Return whether players can each have an address of their own: the loopback of Linux has 16 million."""
    hosts = [urlsplit(url).hostname or "" for url in urls]
    return sys.platform == "linux" and all(host.startswith("127.") for host in hosts)


def key_from(file: Path | None) -> str:
    """Return the service key from a file, or from the environment; empty = there is none.

    Raises:
        Stop: The file can't be read (`USAGE`).
    """
    if file is None:
        return os.environ.get("PAIJU_SERVICE_KEY", "")
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(USAGE, f"{file} can't be read: {error}") from error

"""What one live table takes of the memory of its process: seating, in play, between rounds.

    python -m bench.bench_table_memory [--tables 200] [--game all] [--what] [--json]

Tables of persons with nonces are folded as their owner folds them, without sessions and log; bytes are what
Python has allocated since (tracemalloc), divided by the tables. *Tracked* are the objects that each full
collection of cycles has to look at: the pauses of a process grow with them. What stays when all tables are
gone are caches of the rules, which tables share. `--what` lists where the bytes were allocated.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
import tracemalloc
from hashlib import sha256
from typing import Any

from bench.table_seats import LINKS, nonce_chain
from engine import GAMES
from services.table.core import commands as c
from services.table.core import events as e
from services.table.core.duties import consequence
from services.table.core.events import Spec
from services.table.core.spec import fingerprint_of
from services.table.core.table import Table
from tests.simulation.tables import spec

TIMING = '{"claim_pause_ms":700,"turn_ms":3600000,"claim_ms":3600000,"between_ms":3600000,"seat_ms":3600000}'
WARM = 300
"""Rounds played before anything is weighed."""

START_MS = 1_790_000_000_000


class Chance:
    """A seeded source of seeds."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def token(self, n: int) -> bytes:
        """Return `n` bytes."""
        return self._rng.randbytes(n)

    def below(self, n: int) -> int:
        """Return a number below `n`."""
        return self._rng.randrange(n)


class Played:
    """One table, as its owner would play it with three persons who answer at random."""

    table: Table

    def __init__(self, number: int, seats: int) -> None:
        self.number = number
        self.chance = Chance(number)
        self.now = START_MS
        self.chains = [nonce_chain(b"%d/%d" % (number, seat), LINKS) for seat in range(seats)]

    def make(self, made_from: Spec) -> None:
        """Make the table."""
        created = e.TableCreated(self.now, made_from, fingerprint_of(made_from))
        self.table = Table.create(f"{self.number % 8}-t{self.number:05d}", created, GAMES)
        self.settle()

    def settle(self) -> None:
        """Do what follows at once; what would be shown is dropped."""
        while (event := consequence(self.table, self.now, self.chance)) is not None:
            self.table.apply(event)
        self.table.durable_version = self.table.version
        self.table.outputs = []

    def do(self, seat: int, command: c.Command, command_id: str = "") -> None:
        """Let a seat do something."""
        self.now += 50
        player = self.table.s.spec.players[seat]
        decision = c.decide(self.table, player, command_id, command, self.now, self.table.version)
        assert isinstance(decision, c.Do), decision
        for event in decision.events:
            self.table.apply(event)
        self.settle()

    def sit(self) -> None:
        """Seat everybody, present."""
        for seat in range(len(self.chains)):
            self.table.apply(e.PresenceChanged(self.now, seat, online=True))
            self.do(seat, c.Sit(self.chains[seat][0]), "sit")

    def open(self) -> None:
        """Open the round that is due, and deal."""
        number = self.table.round.no
        self.table.apply(e.RoundAnnounced(self.now, number, self.now + 1_500))
        for seat, chain in enumerate(self.chains):
            self.do(seat, c.Reveal(self.table.round_id, chain[number]), f"nonce-{number}")

    def answer(self, at_most: int) -> int:
        """Answer questions at random; return how many were."""
        for count in range(at_most):
            self.now += 1_000
            self.table.advance(self.now)
            if not any(self.table.questions):
                return count
            open_ = [
                (at, asked)
                for at, asked in enumerate(self.table.questions)
                if asked is not None and asked.shown_at <= self.now
            ]
            if not open_:
                continue
            seat, question = open_[self.chance.below(len(open_))]
            action = question.actions[self.chance.below(len(question.actions))]
            self.do(seat, c.Act(self.table.round_id, question.number, action))
        return at_most

    def end_round(self) -> None:
        """Play to the end of the round, and pay what is owed."""
        number = self.table.round.no
        self.answer(10_000)
        self.table.apply(e.OutboxDone(self.now, f"finished/{number}"))
        self.settle()

    def next_round(self) -> None:
        """Open the next round, as time would make it due."""
        round_no = self.table.round.no + 1
        state = self.table.s
        seed = self.chance.token(32)
        commitment = sha256(seed).digest()
        opened = e.RoundOpened(self.now, round_no, seed, commitment, state.dealer, state.draws_in_row)
        self.table.apply(opened)
        self.settle()


class Scale:
    """Weighs what was allocated since it was made."""

    def __init__(self) -> None:
        gc.collect()
        tracemalloc.start(12)
        self._objects = len(gc.get_objects())
        self._bytes = tracemalloc.get_traced_memory()[0]

    def per_table(self, tables: int) -> dict[str, float]:
        """Return KiB and tracked objects for each table."""
        gc.collect()
        used = tracemalloc.get_traced_memory()[0] - self._bytes
        tracked = len(gc.get_objects()) - self._objects
        return {"kib": round(used / tables / 1024, 1), "tracked": round(tracked / tables, 1)}

    def where(self, tables: int, most: int = 25) -> list[tuple[str, float]]:
        """Return the lines that have allocated most, KiB for each table."""
        found = tracemalloc.take_snapshot().statistics("lineno")[:most]
        return [(str(line.traceback[0]), line.size / tables / 1024) for line in found]


def weigh(game: str, tables: int, asks_where: bool) -> dict[str, Any]:
    """Return what tables of a game take at each stage."""
    made_from = spec(*[f"p_{seat}" for seat in range(GAMES[game].seats)], rounds=64, timing=TIMING, game=game)
    for number in range(WARM):
        # Caches of the rules are shared by all tables, and no part of one.
        warm = Played(10**6 + number, len(made_from.players))
        warm.make(made_from)
        warm.sit()
        warm.open()
        warm.end_round()
    found: dict[str, Any] = {}
    played = [Played(number, len(made_from.players)) for number in range(tables)]
    scale = Scale()
    for one in played:
        one.make(spec_of(one.number, made_from))
    found["made"] = scale.per_table(tables)
    for one in played:
        one.sit()
    found["seated"] = scale.per_table(tables)
    for one in played:
        one.open()
    found["dealt"] = scale.per_table(tables)
    for one in played:
        one.answer(15)
    found["in play, first round"] = scale.per_table(tables)
    for one in played:
        one.end_round()
    found["between rounds"] = scale.per_table(tables)
    for _ in range(2):
        for one in played:
            one.next_round()
            one.open()
            one.end_round()
    found["between rounds, after three"] = scale.per_table(tables)
    for number, one in enumerate(played):
        one.next_round()
        one.open()
        one.answer(number % 30)
    found["in play, fourth round"] = scale.per_table(tables)
    if asks_where:
        found["where"] = scale.where(tables)
    played.clear()
    del one
    found["all gone"] = scale.per_table(tables)
    tracemalloc.stop()
    return found


def spec_of(number: int, made_from: Spec) -> Spec:
    """Return the spec as an owner has it: decoded from the log, with players of its own."""
    players = tuple(f"p_{number}_{seat}" for seat in range(len(made_from.players)))
    own = e.Spec(*(getattr(made_from, name) for name in made_from.__struct_fields__))
    fields = {name: getattr(own, name) for name in own.__struct_fields__} | {"players": players}
    [(_, event)] = e.decode_batch(e.encode_batch([("t", e.TableCreated(1, e.Spec(**fields), b""))]))
    assert isinstance(event, e.TableCreated)
    return event.spec


def main() -> None:
    """Weigh and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--game", default="paohuzi", choices=[*GAMES, "all"])
    parser.add_argument("--what", action="store_true", help="list the lines that have allocated most")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    games = list(GAMES) if asked.game == "all" else [asked.game]
    found = {game: weigh(game, asked.tables, asked.what) for game in games}
    if asked.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    for game, stages in found.items():
        print(game)
        for line, kib in stages.pop("where", ()):
            print(f"  {kib:7.2f} KiB  {line}")
        for stage, weight in stages.items():
            print(f"  {stage:32} {weight['kib']:7.1f} KiB  {weight['tracked']:7.1f} tracked objects")


if __name__ == "__main__":
    main()

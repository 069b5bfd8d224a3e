"""What the streams hold of rounds, audits, settlements and matches, judged as it is written."""

from __future__ import annotations

from collections import Counter
from typing import Final, TypeVar

from google.protobuf.message import Message
from paiju.economy.v1.events_pb2 import RoundSettled, StakeClosed
from paiju.scoring.v1.events_pb2 import VERDICT_AGREED, RoundAudited
from paiju.table.v1.events_pb2 import MatchFinished, RoundFinished, RoundOpened, RoundVoided

from services.chassis.bus.registry import event_of
from services.scoring.core.deal import commitment_of
from tests.simulation.client import Violation

M = TypeVar("M", bound=Message)

HEARD: Final = {
    event_of(cls).prefix: cls
    for cls in (
        RoundOpened,
        RoundFinished,
        RoundVoided,
        MatchFinished,
        RoundAudited,
        RoundSettled,
        StakeClosed,
    )
}


class Facts:
    """Every fact about rounds and money, in the order of the streams; a contradiction is a `Violation`."""

    def __init__(self) -> None:
        self.opened: dict[str, RoundOpened] = {}
        self.finished: dict[str, RoundFinished] = {}
        self.voided: dict[str, RoundVoided] = {}
        self.audited: dict[str, RoundAudited] = {}
        self.settled: dict[str, RoundSettled] = {}
        self.matches: dict[str, MatchFinished] = {}
        self.coins: Counter[str] = Counter()
        """What rounds have brought and taken, fees included, by player."""
        self.fees = 0
        """What the house has taken."""
        self._last_settled: dict[str, int] = {}

    def take(self, subject: str, payload: bytes) -> None:
        """Take a message of a stream."""
        cls = HEARD.get(subject.rpartition(".")[0])
        if cls is not None:
            self._heard(cls.FromString(payload))

    def _heard(self, fact: Message) -> None:
        match fact:
            case RoundOpened():
                _same(self.opened, fact.round_id, fact, "opened")
            case RoundFinished():
                _same(self.finished, fact.round_id, fact, "finished")
                self._check_seed(fact.round_id, _seed_of(fact.record))
            case RoundVoided():
                _same(self.voided, fact.round_id, fact, "voided")
                self._check_seed(fact.round_id, fact.seed)
            case RoundAudited():
                _same(self.audited, fact.round_id, fact, "audited")
                if fact.verdict != VERDICT_AGREED:
                    raise Violation(f"{fact.round_id} is disputed: {list(fact.differences)}")
            case RoundSettled():
                self._settled(fact)
            case MatchFinished():
                _same(self.matches, fact.match_id, fact, "match finished")

    def _check_seed(self, round_id: str, seed: bytes) -> None:
        opened = self.opened.get(round_id)
        if opened is None:
            raise Violation(f"{round_id} is over, and its commitment was never published")
        if commitment_of(round_id, seed) != opened.commitment:
            raise Violation(f"{round_id}: the seed is not the one that was committed to")

    def _settled(self, fact: RoundSettled) -> None:
        if not _same(self.settled, fact.round_id, fact, "settled"):
            return
        if fact.round_id not in self.audited:
            raise Violation(f"{fact.round_id} is settled before it is audited")
        last = self._last_settled.get(fact.match_id, 0)
        if fact.round_no <= last:
            raise Violation(f"{fact.round_id} is settled behind round {last}")
        self._last_settled[fact.match_id] = fact.round_no
        if sum(seat.coins for seat in fact.seats):
            raise Violation(f"{fact.round_id} makes or loses coins")
        for seat in fact.seats:
            if not fact.for_coins:
                continue
            if seat.stake_after != seat.stake_before - seat.fee + seat.coins:
                raise Violation(f"{fact.round_id}: seat {seat.seat} loses count of its stake")
            self.coins[seat.player_id] += seat.coins - seat.fee
            self.fees += seat.fee


def _same(known: dict[str, M], key: str, fact: M, what: str) -> bool:
    """Keep a fact; return whether it is new. The same again may come, another may not."""
    first = known.setdefault(key, fact)
    if first != fact:
        raise Violation(f"{key} is {what} with two contents:\n{first}\n{fact}")
    return first is fact


def _seed_of(record: bytes) -> bytes:
    line = next(line for line in record.decode().splitlines() if line.startswith("Seed: "))
    return bytes.fromhex(line.removeprefix("Seed: "))

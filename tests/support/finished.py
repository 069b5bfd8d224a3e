"""Whole matches played by the engine, with nonces of a chain: what a table would publish of them."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field

from paiju.table.v1.events_pb2 import RoundFinished, RoundOpened, RoundSeat, RoundVoided

from engine import GAMES, fair_deal
from engine.record import Record, RecordedAction, full_result

STARTED_MS = 1_790_000_000_000
PLAYERS = ("p_a", "p_b", "bot:normal")
CHAIN = 128


def next_link(nonce: bytes) -> bytes:
    """Return the link before this one: docs/fair-deal.md."""
    return hashlib.sha256(b"paiju-nonce-1" + nonce).digest()


def chain(secret: bytes) -> list[bytes]:
    """Return the links of a chain, its head first."""
    links = [secret]
    while len(links) <= CHAIN:
        links.append(next_link(links[-1]))
    return links[::-1]


@dataclass
class PlayedMatch:
    """A match, round by round; call `round()` for the next."""

    match_id: str = "0-m"
    preset: str = "tongyi-qmt"
    game: str = "paohuzi"
    seed: int = 1
    base_stake: int = 10
    players: tuple[str, ...] = PLAYERS
    pace_ms: int = 40
    silent_from: dict[int, int] = field(default_factory=dict)
    """Seat → the round from which it reveals no more."""
    round_no: int = 0
    dealer: int = -1
    draws: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.chains = [chain(self.chance.randbytes(32)) for _ in range(2)]
        others = len(self.players) - 2
        self.heads = [self.chains[0][0], self.chains[1][0], *[b""] * others]
        self.revealed = [0, 0]
        self.totals = [0] * len(self.players)

    def skip(self) -> tuple[RoundOpened, RoundVoided]:
        """Void a round before anything is revealed: its number is used up."""
        self.round_no += 1
        round_id, seed = f"{self.match_id}/{self.round_no}", self.chance.randbytes(32)
        opened = RoundOpened(
            round_id=round_id,
            match_id=self.match_id,
            round_no=self.round_no,
            game=self.game,
            commitment=fair_deal.commit(round_id, seed),
            nonce_heads=self.heads,
        )
        voided = RoundVoided(
            round_id=round_id, match_id=self.match_id, round_no=self.round_no, game=self.game, seed=seed
        )
        return opened, voided

    def round(self) -> tuple[RoundOpened, RoundFinished]:
        """Play the next round, and return what is published of it."""
        self.round_no += 1
        game = GAMES[self.game]
        rules = game.ruleset(self.preset, {"base_stake": self.base_stake})
        round_id, seed = f"{self.match_id}/{self.round_no}", self.chance.randbytes(32)
        nonces = [b""] * len(self.players)
        for seat in range(2):
            if self.round_no < self.silent_from.get(seat, 999):
                self.revealed[seat] += 1
                nonces[seat] = self.chains[seat][self.revealed[seat]]
        if self.dealer < 0:
            self.dealer = fair_deal.draw_dealer(seed, round_id, nonces)
        deck = game.deck()
        wall = [deck[place] for place in fair_deal.wall_order(seed, round_id, nonces, len(deck))]
        position = game.deal(rules, wall, self.dealer, self.draws)
        actions: list[RecordedAction] = []
        while position.outcome() is None:
            seat = position.to_act()[0]
            action = game.bots["normal"](position.view(seat), self.chance)
            position.apply(seat, action)
            cause = "bot" if self.players[seat].startswith("bot:") else ""
            actions.append(RecordedAction(seat, action, self.pace_ms * len(actions), cause))
        commitment = fair_deal.commit(round_id, seed)
        record = Record(
            round_id=round_id,
            game=self.game,
            preset=f"{rules.preset}@{rules.version}",
            options=rules.as_json(),
            seats=self.players,
            dealer=self.dealer,
            draws_in_row=self.draws,
            commitment=commitment.hex(),
            seed=seed.hex(),
            nonces=tuple(nonce.hex() or "-" for nonce in nonces),
            started_ms=STARTED_MS,
            actions=tuple(actions),
            result=full_result(self.game, rules, self.dealer, self.draws, position.outcome()),
        )
        self.dealer, self.draws = record.result["dealer_next"], record.result["draws_in_row_next"]
        self.totals = [sum(two) for two in zip(self.totals, record.result["points"], strict=True)]
        return self._facts(record, commitment)

    def _facts(self, record: Record, commitment: bytes) -> tuple[RoundOpened, RoundFinished]:
        seats = [
            RoundSeat(seat=seat, player_id=player, is_bot=player.startswith("bot:"))
            for seat, player in enumerate(self.players)
        ]
        opened = RoundOpened(
            round_id=record.round_id,
            match_id=self.match_id,
            round_no=self.round_no,
            table_id=self.match_id,
            game=self.game,
            preset=record.preset,
            commitment=commitment,
            seats=seats,
            opened_at_ms=STARTED_MS,
            nonce_heads=self.heads,
        )
        finished = RoundFinished(
            round_id=record.round_id,
            match_id=self.match_id,
            round_no=self.round_no,
            table_id=self.match_id,
            game=self.game,
            preset=record.preset,
            seats=seats,
            record=record.text.encode(),
            for_coins=True,
            ended_at_ms=STARTED_MS + 60_000,
        )
        return opened, finished

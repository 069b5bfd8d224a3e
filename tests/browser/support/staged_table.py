"""The table of the stage: one person and bots on the real engine, from a seed."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

from paiju.table.v1 import play_pb2 as play
from paiju.table.v1 import table_service_pb2 as tables

from engine import GAMES
from engine.record import Record, RecordedAction, full_result
from services.scoring.core import deal

TURN_MS = 600_000
AUTO = "(auto)"
"""Stands for the answer of the house."""


class StagedTable:
    """Plays rounds; `say` sends a frame."""

    def __init__(
        self,
        table_id: str,
        player_id: str,
        preset: str,
        rng: random.Random,
        *,
        rounds: int,
        pace_s: float,
        say: Callable[[play.Frame], Awaitable[None]],
        game: str = "paohuzi",
    ) -> None:
        self.table_id = table_id
        self.game: Any = GAMES[game]
        self.players = [player_id, *["bot:normal"] * (self.game.seats - 1)]
        self.rules = self.game.ruleset(preset, {"base_stake": 10})
        self.rng = rng
        self.rounds = rounds
        self.pace_s = pace_s
        self.say = say
        self.number = 0
        self.round_no = 0
        self.over = False
        self.scores = [0] * len(self.players)
        self.stakes = [3000] * len(self.players)
        self.taken = False
        self.ready = asyncio.Event()
        self.answered: asyncio.Queue[tuple[int, str]] = asyncio.Queue()
        self.nonce: asyncio.Future[bytes] | None = None
        self.question = 0
        self.parts: dict[str, Any] = {}
        self.texts: dict[str, bytes] = {}
        self.records: list[tables.RecordSummary] = []
        self.auto_play = False

    # --- what is said ---

    def seats(self) -> list[play.SeatState]:
        """Return all seats."""
        return [
            play.SeatState(
                seat=at,
                player_id=player,
                taken=at > 0 or self.taken,
                online=True,
                auto_play=at == 0 and self.auto_play,
                gives_nonces=at == 0 and self.taken,
                score=self.scores[at],
                stake=self.stakes[at],
            )
            for at, player in enumerate(self.players)
        ]

    async def tell(self, **body: Any) -> None:
        """Send the next frame."""
        self.number += 1
        await self.say(play.Frame(number=self.number, at_ms=int(time.time() * 1000), **body))

    def view(self) -> play.TableView:
        """Return what the page needs to begin."""
        view = play.TableView(
            number=self.number,
            table_id=self.table_id,
            match_id=self.table_id,
            game=self.game.name,
            preset=self.rules.title,
            options_json=self.rules.as_json(),
            rounds=self.rounds,
            round_no=self.round_no,
            phase=self.parts.get("phase", "seating"),
            seat=0,
            seats=self.seats(),
            timing_json='{"turn_ms":15000,"claim_ms":10000}',
            base_stake=10,
        )
        for name in ("opening", "play", "round_end", "settlement", "match_end"):
            if name in self.parts:
                getattr(view, name).CopyFrom(self.parts[name])
        return view

    def command(self, command: play.TableCommand) -> str:
        """Take a command; return a reason or nothing."""
        kind = command.WhichOneof("body")
        if kind == "sit":
            self.taken = True
        elif kind == "reveal_nonce" and self.nonce is not None and not self.nonce.done():
            self.nonce.set_result(command.reveal_nonce.nonce)
        elif kind == "act":
            self.answered.put_nowait((command.act.question, command.act.action))
        elif kind == "ready":
            self.ready.set()
        elif kind == "set_auto_play":
            self.auto_play = command.set_auto_play.on
            self.answered.put_nowait((0, AUTO))
        return ""

    # --- the match ---

    async def run(self) -> None:
        """Play the whole match."""
        while not self.taken:
            await asyncio.sleep(0.02)
        await self.tell(seats_changed=play.SeatsChanged(seats=self.seats()))
        dealer, draws = -1, 0
        while self.round_no < self.rounds:
            self.round_no += 1
            dealer, draws = await self.round(dealer, draws)
            if self.round_no < self.rounds:
                await self.ready.wait()
        self.over = True
        end = play.MatchEnd(cause="all_rounds", scores=self.scores, rounds_played=self.rounds)
        self.parts |= {"phase": "finished", "match_end": end}
        await self.tell(match_end=end)

    async def round(self, dealer: int, draws: int) -> tuple[int, int]:
        round_id = f"{self.table_id}/{self.round_no}"
        seed = self.rng.randbytes(32)
        self.nonce = asyncio.get_running_loop().create_future()
        self.ready.clear()
        opening = play.RoundOpening(
            round_id=round_id,
            commitment=deal.commitment_of(round_id, seed),
            dealer=dealer,
            nonces_until_ms=int(time.time() * 1000) + 1500,
        )
        self.parts = {"phase": "opening", "opening": opening}
        await self.tell(round_opening=opening)
        nonce = await self.nonce
        await self.tell(nonce_seen=play.NonceSeen(seat=0, nonce=nonce))
        nonces = (nonce, *[None] * (len(self.players) - 1))
        if dealer < 0:
            dealer = deal.first_dealer(seed, round_id, nonces)
        deck = self.game.deck()
        wall = [deck[at] for at in deal.shuffled(seed, round_id, nonces, len(deck))]
        actions, position = await self.play_round(round_id, wall, dealer)
        result = full_result(self.game.name, self.rules, dealer, draws, position.outcome())
        record = Record(
            round_id=round_id,
            game=self.game.name,
            preset=self.rules.title,
            options=self.rules.as_json(),
            seats=tuple(self.players),
            dealer=dealer,
            draws_in_row=draws,
            commitment=opening.commitment.hex(),
            seed=seed.hex(),
            nonces=tuple("-" if one is None else one.hex() for one in nonces),
            started_ms=1,
            actions=tuple(actions),
            result=result,
        )
        await self.finish(round_id, seed, record, position)
        return result["dealer_next"], result["draws_in_row_next"]

    async def play_round(
        self, round_id: str, wall: list[str], dealer: int
    ) -> tuple[list[RecordedAction], Any]:
        position = self.game.deal(self.rules, wall, dealer)
        self.parts |= {"phase": "playing", "play": play.Play(round_id=round_id, turn_seat=-1)}
        await self.show(position, position.opening_events(), round_id)
        actions: list[RecordedAction] = []
        while position.outcome() is None:
            bots = [seat for seat in position.to_act() if seat]
            if bots:
                await asyncio.sleep(self.pace_s)
                seat = bots[0]
                action = self.game.bots["normal"](position.view(seat), self.rng)
            elif self.auto_play:
                seat, action = 0, self.game.fallback(position.view(0))
            else:
                seat = 0
                _, action = await self.answered.get()
                if action == AUTO:
                    action = self.game.fallback(position.view(0))
                if action not in position.legal_actions(0):
                    continue
            events = position.apply(seat, action)
            actions.append(RecordedAction(seat, action, len(actions), "bot" if seat else ""))
            await self.show(position, events, round_id)
        return actions, position

    async def show(self, position: Any, events: Any, round_id: str) -> None:
        beat: list[str] = []
        for event in events:
            text = event.text_for(0)
            if text is None:
                continue
            beat.append(text)
            if event.pause:
                await self.beat(position, beat, round_id, last=False)
                beat = []
                await asyncio.sleep(self.pace_s)
        if beat:
            await self.beat(position, beat, round_id, last=True)

    async def beat(self, position: Any, texts: list[str], round_id: str, *, last: bool) -> None:
        asks = any(text.startswith("ask 0") for text in texts)
        self.question += asks
        frame = play.Play(events=texts, round_id=round_id, turn_seat=-1)
        legal = position.legal_actions(0)
        if last and legal:
            frame.question.number = self.question
            frame.question.actions.extend(self.game.question(position, 0))
            frame.question.deadline_at_ms = int(time.time() * 1000) + TURN_MS
        kept = self.parts["play"]
        everything = [*kept.events, *texts]
        kept.CopyFrom(frame)
        del kept.events[:]
        kept.events.extend(everything)
        await self.tell(play=frame)

    async def finish(self, round_id: str, seed: bytes, record: Record, position: Any) -> None:
        points = record.result["points"]
        self.scores = [score + more for score, more in zip(self.scores, points, strict=True)]
        lines = self.game.explain(self.rules, position.outcome())
        text = record.text.encode()
        end = play.RoundEnd(
            round_id=round_id,
            result_json=json.dumps(record.result, ensure_ascii=False),
            seed=seed,
            scores=self.scores,
            explanation_zh=[line.zh for line in lines],
            explanation_en=[line.en for line in lines],
            record=text,
            next_round_at_ms=int(time.time() * 1000) + TURN_MS if self.round_no < self.rounds else 0,
        )
        self.texts[round_id] = text
        self.records.insert(
            0,
            tables.RecordSummary(
                round_id=round_id,
                game=self.game.name,
                preset=self.rules.title,
                players=self.players,
                points=points,
                ended_at_ms=int(time.time() * 1000),
            ),
        )
        self.parts |= {"phase": "between", "round_end": end}
        await self.tell(round_end=end)
        await asyncio.sleep(self.pace_s)
        coins = [10 * one for one in points]
        self.stakes = [stake + one for stake, one in zip(self.stakes, coins, strict=True)]
        settlement = play.RoundSettlement(
            round_id=round_id,
            verdict="AGREED",
            auditor="paiju-scoring 1",
            coins=coins,
            stakes=self.stakes,
            settled=True,
        )
        self.parts["settlement"] = settlement
        await self.tell(round_settlement=settlement)

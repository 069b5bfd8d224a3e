"""A person with a client: signs in as a guest, sits down, plays, comes back; by the players' door only."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import TypeVar

import aiohttp
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.message import Message
from paiju.accounts.v1 import accounts_service_pb2 as accounts
from paiju.economy.v1 import economy_service_pb2 as economy
from paiju.gateway.v1.gateway_service_pb2 import CallResult, PlayResponse
from paiju.matchmaking.v1 import matchmaking_service_pb2 as matchmaking
from paiju.table.v1.play_pb2 import (
    Act,
    Attach,
    Frame,
    Question,
    Ready,
    RevealNonce,
    SeatState,
    Sit,
    TableView,
)

from engine import GAMES
from engine.search import Chance
from tests.simulation.client import TableFold, told_as
from tests.support.finished import chain
from tests.support.play_client import WebSocketClient

M = TypeVar("M", bound=Message)

ACCOUNTS = "paiju.accounts.v1.AccountsService"
ECONOMY = "paiju.economy.v1.EconomyService"
MATCHMAKING = "paiju.matchmaking.v1.MatchmakingService"

AGAIN = ("TABLE_UNAVAILABLE", "SERVICE_UNAVAILABLE")
"""What is said again: the table has no owner for a moment."""


class Person:
    """One player at one table."""

    def __init__(self, url: str, bot: str = "") -> None:
        self.url = url
        self.bot = bot
        """Who chooses for us, by what we were told; empty = the simplest answer of 跑胡子."""
        self._texts: list[str] = []
        self.player_id = ""
        self.table_id = ""
        self.epoch = 0
        self.frames: list[Frame] = []
        """All frames of the table, as shown to this person, in order."""
        self.view = TableView()
        """The view of the last attach that brought one."""
        self.fold = TableFold()
        """What the frames add up to, since the first view."""
        self.refolded = 0
        """Views that came later, each equal to the fold of the frames before it."""
        self.answered = 0
        """Answers the table accepted."""
        self._key = Ed25519PrivateKey.generate()
        self._nonces = chain(os.urandom(32))
        self._token = ""
        self._looked_at = 0
        self._door: WebSocketClient | None = None

    @property
    def seats(self) -> Sequence[SeatState]:
        """The seats as they were last shown."""
        shown = [frame.seats_changed.seats for frame in self.frames if frame.HasField("seats_changed")]
        return shown[-1] if shown else self.view.seats

    @property
    def door(self) -> WebSocketClient:
        """The connection."""
        assert self._door is not None, "not connected"
        return self._door

    @property
    def nonces(self) -> list[bytes]:
        """Our chain of nonces, its head first."""
        return self._nonces

    async def sign_in(self) -> None:
        """Prove the key, over plain HTTP as the page does."""
        public = self._key.public_key().public_bytes_raw()
        challenge = await self._post(
            f"{ACCOUNTS}/CreateChallenge",
            accounts.CreateChallengeRequest(public_key=public),
            accounts.CreateChallengeResponse,
        )
        signed = accounts.SignInGuestRequest(
            public_key=public,
            challenge=challenge.challenge,
            signature=self._key.sign(b"paiju-guest-1" + challenge.challenge),
            device="a test",
        )
        answer = await self._post(f"{ACCOUNTS}/SignInGuest", signed, accounts.SignInGuestResponse)
        self._token, self.player_id = answer.tokens.access_token, answer.profile.player_id

    async def connect(self) -> None:
        """Open the WebSocket and say who we are."""
        self._door = await WebSocketClient.connect(self.url)
        welcome = await self._door.hello(self._token)
        assert welcome.welcome.player_id == self.player_id, welcome

    async def close(self) -> None:
        """Close the WebSocket, if it is open."""
        door, self._door = self._door, None
        if door is not None:
            await door.close()

    async def call(self, method: str, request: Message, response: type[M]) -> M:
        """Call a service through the WebSocket; again while it can't be reached, as every client must."""
        async with asyncio.timeout(60):
            while True:
                result = await self.door.call(method, request.SerializeToString())
                if result.error.reason != "SERVICE_UNAVAILABLE":
                    return _taken(result, response)
                await asyncio.sleep(0.2)

    async def gold(self) -> tuple[int, int]:
        """Return the gold in our wallet and in our open stakes."""
        wallet = await self.call(
            f"{ECONOMY}/GetWallet", economy.GetWalletRequest(), economy.GetWalletResponse
        )
        held, staked = (
            {money.currency: money.amount for money in kind} for kind in (wallet.balances, wallet.staked)
        )
        return held.get("gold", 0), staked.get("gold", 0)

    async def wait_for_the_welcome(self, seconds: float = 60.0) -> None:
        """Return once the welcome grant has come: economy hears of a new player a moment later."""
        async with asyncio.timeout(seconds):
            while not (await self.gold())[0]:
                await asyncio.sleep(0.1)

    async def find_a_match(self, hall_id: str, seconds: float = 30.0) -> None:
        """Ask for a match with bots, and wait for its table."""
        wanted = matchmaking.CreateTicketRequest(
            request_id=os.urandom(8).hex(), hall_id=hall_id, bots_now=True
        )
        made = await self.call(f"{MATCHMAKING}/CreateTicket", wanted, matchmaking.CreateTicketResponse)
        ticket = made.ticket
        async with asyncio.timeout(seconds):
            while not ticket.table_id:
                await asyncio.sleep(0.1)
                got = await self.call(
                    f"{MATCHMAKING}/GetTicket",
                    matchmaking.GetTicketRequest(ticket_id=ticket.ticket_id),
                    matchmaking.GetTicketResponse,
                )
                ticket = got.ticket
                assert ticket.state != "failed", ticket.reason
        self.table_id = ticket.table_id

    async def attach(self, from_nothing: bool = False) -> None:
        """Listen to the table, from where we stopped, or as one who knows nothing of it any more."""
        number = self.frames[-1].number if self.frames else self.view.number
        if from_nothing:
            number, self.epoch = 0, 0
        async with asyncio.timeout(60):
            while True:
                answer = await self.door.command(
                    self.table_id, attach=Attach(epoch=self.epoch, number=number)
                )
                if not answer.reason:
                    return
                # After a restart the table has no owner for a moment.
                assert answer.reason in AGAIN, answer.reason
                await asyncio.sleep(0.2)

    async def sit(self) -> None:
        """Take the seat, with the head of our chain of nonces."""
        answer = await self.door.command(self.table_id, "sit", sit=Sit(nonce_head=self._nonces[0]))
        assert not answer.reason, answer

    async def play(self, until: Callable[[Frame], bool], seconds: float) -> Frame:
        """Play on until a frame is so, and return it; each frame is looked at once, over all calls."""
        async with asyncio.timeout(seconds):
            if self.view.play.HasField("question"):
                await self._answer(self.view.play.round_id, self.view.play.question)
                self.view.play.ClearField("question")
            while True:
                while self._looked_at < len(self.frames):
                    self._looked_at += 1
                    if until(self.frames[self._looked_at - 1]):
                        return self.frames[self._looked_at - 1]
                said = await self.door.wait_for(_is_from_table, seconds)
                if said.HasField("table_snapshot"):
                    self.epoch = said.table_snapshot.epoch
                    self.view = TableView.FromString(said.table_snapshot.view)
                    self._check_view()
                    if self.view.play.HasField("question"):
                        await self._answer(self.view.play.round_id, self.view.play.question)
                        self.view.play.ClearField("question")
                    continue
                self.epoch = said.table_frames.epoch
                new = [Frame.FromString(frame) for frame in said.table_frames.frames]
                self.frames += new
                for frame in new:
                    self.fold.add(frame)
                    self._heard(frame)
                    await self._react(frame)

    async def _react(self, frame: Frame) -> None:
        if frame.HasField("round_opening"):
            round_id = frame.round_opening.round_id
            link = self._nonces[int(round_id.rpartition("/")[2])]
            await self.door.command(
                self.table_id, f"nonce {round_id}", reveal_nonce=RevealNonce(round_id=round_id, nonce=link)
            )
        elif frame.play.HasField("question"):
            await self._answer(frame.play.round_id, frame.play.question)
        elif frame.HasField("round_end"):
            await self.door.command(self.table_id, f"ready {frame.number}", ready=Ready())

    def _check_view(self) -> None:
        """A view after the first must be the fold of the frames up to it."""
        if self.fold.view.number and self.fold.view.number == self.view.number:
            assert self.fold.view == self.view, "the view is not the fold of the frames"
            self.refolded += 1
        self.fold.start(self.view)
        self._texts = list(self.view.play.events)

    def _heard(self, frame: Frame) -> None:
        if frame.HasField("round_opening"):
            self._texts = []
        self._texts += frame.play.events

    async def _answer(self, round_id: str, question: Question) -> None:
        action = next((wish for wish in ("hu", "pass") if wish in question.actions), question.actions[0])
        if self.bot:
            game = GAMES[self.view.game]
            folded = game.fold(self._texts)
            assert told_as(game.name, folded.legal) == tuple(question.actions), "a question unlike its events"
            action = game.bots[self.bot](folded, Chance(question.number))
        act = Act(round_id=round_id, question=question.number, action=action)
        answer = await self.door.command(self.table_id, act=act)
        while answer.reason in AGAIN:
            await asyncio.sleep(0.2)
            answer = await self.door.command(self.table_id, act=act)
        # A question may have been withdrawn, or answered for us, while we thought.
        self.answered += not answer.reason

    async def _post(self, method: str, request: Message, response: type[M]) -> M:
        async with (
            aiohttp.ClientSession() as http,
            http.post(f"{self.url}call/{method}", data=request.SerializeToString()) as answer,
        ):
            return _taken(CallResult.FromString(await answer.read()), response)


def _taken(result: CallResult, response: type[M]) -> M:
    assert not result.HasField("error"), result.error
    return response.FromString(result.payload)


def _is_from_table(response: PlayResponse) -> bool:
    return response.HasField("table_frames") or response.HasField("table_snapshot")

"""A stage for the page: one process that speaks the gateway's messages with the real engine behind it.

It lets layout be looked at in positions that a real match reaches rarely (a full hand, many melds, long
rivers), from a seed, at once. The tests of the product itself run against the real `paiju up`.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from collections.abc import Callable
from typing import Any, Self

from aiohttp import WSMsgType, web
from google.protobuf.message import Message
from paiju.accounts.v1 import accounts_service_pb2 as accounts
from paiju.chat.v1 import chat_service_pb2 as chat
from paiju.economy.v1 import economy_service_pb2 as economy
from paiju.gateway.v1 import gateway_service_pb2 as gateway
from paiju.matchmaking.v1 import matchmaking_service_pb2 as matchmaking
from paiju.progress.v1 import progress_service_pb2 as progress
from paiju.table.v1 import play_pb2 as play
from paiju.table.v1 import table_service_pb2 as tables

from engine import GAMES
from services.gateway.doors.files import SECURITY, FilesDoor
from services.matchmaking.core.room_rules import parse_prices
from services.matchmaking.settings import ROOM_CARDS
from services.table.catalog import list_games
from tests.browser.support.stage_pages import REQUESTS, page_handlers
from tests.browser.support.staged_table import StagedTable

ME = "p_stage"
PRICES = parse_prices(ROOM_CARDS.read_text(encoding="utf-8"))
START_GOLD = 20_000
ASKED_MS = 15_000
"""What is left of the time for the question of a position that is shown."""


def now_ms() -> int:
    """Return the time, Unix milliseconds."""
    return int(time.time() * 1000)


class Stage:
    """Serves the page and plays one table with it."""

    def __init__(self, seed: int = 1, pace_s: float = 0.4, preset: str = "876cc", rounds: int = 4) -> None:
        self.catalogue = list_games(GAMES)
        self.gone: list[str] = []
        """Halls that tickets were asked for."""
        self.seed = seed
        self.pace_s = pace_s
        self.preset = preset
        self.rounds = rounds
        self.profile = accounts.Profile(player_id=ME, nickname="山水有相逢", avatar="a15", version=1)
        self.signed_in = False
        self.table: StagedTable | None = None
        self.socket: web.WebSocketResponse | None = None
        self.room: matchmaking.Room | None = None
        self.shown: play.TableView | None = None
        """A position that is shown instead of a match."""
        self.welcomed_ms = 0
        """When the page said hello."""
        self.opened = 0
        """How many tables it had: their names, and so what is dealt, depend on the seed and this alone."""
        self.acts: list[str] = []
        """Answers given in that position."""
        self.filled: list[str] = []
        """Levels of bots that rooms were filled with."""
        self.epoch = 1
        """Of the process that has the table."""
        self.attached: list[tuple[int, int]] = []
        """Epoch and number that listeners came with."""
        self.seated = True
        """False: the player has no seat at the position shown."""
        self.spectates = False
        """Whether the last listener asked only to watch."""
        self.is_guest = False
        """True: the player has come into the room before."""
        self.waits = False
        """True: a ticket waits instead of being matched."""
        self.is_new = False
        """True: the player came to be with this visit."""
        self.gold = START_GOLD
        self.tasks: set[asyncio.Task[None]] = set()
        self.handlers: dict[str, Callable[[Any], Message]] = {
            "CreateChallenge": lambda _: accounts.CreateChallengeResponse(challenge=b"c" * 32),
            "SignInGuest": lambda _: accounts.SignInGuestResponse(
                tokens=self.tokens(), profile=self.profile, created=self.is_new
            ),
            "GetProfile": lambda _: accounts.GetProfileResponse(profile=self.profile),
            "UpdateProfile": self.update_profile,
            "BatchGetProfiles": lambda _: accounts.BatchGetProfilesResponse(profiles=[self.profile]),
            "ListProfileChoices": lambda _: accounts.ListProfileChoicesResponse(),
            "GetWallet": lambda _: economy.GetWalletResponse(
                balances=[economy.Money(currency="gold", amount=self.gold)]
            ),
            "GetSignIn": lambda _: progress.GetSignInResponse(state=self.sign_in_state()),
            "SignIn": self.sign_in,
            "GetStatistics": lambda _: progress.GetStatisticsResponse(statistics=[self.statistics()]),
            "ListHalls": lambda _: matchmaking.ListHallsResponse(halls=self.halls()),
            "ListGames": lambda _: self.catalogue,
            "CreateTicket": self.create_ticket,
            "GetTicket": lambda _: matchmaking.GetTicketResponse(ticket=self.ticket("waiting")),
            "CancelTicket": lambda _: matchmaking.CancelTicketResponse(ticket=self.ticket("cancelled")),
            "CreateRoom": self.create_room,
            "ListRoomPrices": lambda _: matchmaking.ListRoomPricesResponse(prices=PRICES.messages()),
            "GetRoom": lambda _: matchmaking.GetRoomResponse(room=self.room),
            "FillRoomWithBots": self.fill_room,
            "LeaveRoom": lambda _: matchmaking.LeaveRoomResponse(),
            "GetWhereabouts": lambda _: matchmaking.GetWhereaboutsResponse(
                table_id=self.where(), room=self.room if self.is_guest else None
            ),
            "ListMessages": lambda _: chat.ListMessagesResponse(),
            "PostMessage": self.post_message,
            "ListRecords": lambda _: tables.ListRecordsResponse(
                records=self.table.records if self.table else []
            ),
            "GetRecord": lambda request: tables.GetRecordResponse(
                record=self.table.texts[request.round_id] if self.table else b""
            ),
        }

    def with_pages(self, entries: int = 120) -> Self:
        """Let the pages be answered too: of a player who has seen everything."""
        self.handlers |= page_handlers(ME, now_ms(), entries)
        return self

    # --- the doors ---

    def app(self) -> web.Application:
        """Return the web application."""
        app = web.Application()
        app.router.add_get("/play", self.listen)
        app.router.add_post("/call/{service}/{method}", self.call_http)
        app.router.add_get("/{path:.*}", FilesDoor().get)

        async def secure(_: web.Request, response: web.StreamResponse) -> None:
            response.headers.update(SECURITY)

        app.on_response_prepare.append(secure)
        return app

    async def call_http(self, request: web.Request) -> web.Response:
        body = await request.read()
        path = f"{request.match_info['service']}/{request.match_info['method']}"
        return web.Response(body=self.result(path, body).SerializeToString())

    def result(self, path: str, payload: bytes) -> gateway.CallResult:
        service, name = path.split("/")
        handler = self.handlers.get(name)
        if handler is None:
            return gateway.CallResult(
                error=gateway.CallError(
                    code=12, reason="METHOD_UNKNOWN", message_zh="没有这个功能", message_en="no such method"
                )
            )
        module = {"accounts": accounts, "chat": chat, "economy": economy, "matchmaking": matchmaking}
        module |= {"progress": progress, "table": tables}
        kind = REQUESTS.get(name) or getattr(module[service.split(".")[1]], f"{name}Request")
        request = kind.FromString(payload)
        return gateway.CallResult(payload=handler(request).SerializeToString())

    async def listen(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.socket = socket
        async for message in socket:
            if message.type == WSMsgType.BINARY:
                await self.hear(gateway.PlayRequest.FromString(message.data))
        return socket

    async def send(self, response: gateway.PlayResponse) -> None:
        if self.socket is not None and not self.socket.closed:
            await self.socket.send_bytes(response.SerializeToString())

    async def hear(self, request: gateway.PlayRequest) -> None:
        kind = request.WhichOneof("body")
        answer = gateway.PlayResponse(reply_to=request.id)
        if kind == "hello":
            self.welcomed_ms = now_ms()
            answer.welcome.player_id = ME
            answer.welcome.now_ms = self.welcomed_ms
        elif kind == "ping":
            # To a visitor whose clock stands (`opened`, steady) it still is when he came.
            answer.pong.at_ms = request.ping.at_ms
            answer.pong.now_ms = self.welcomed_ms
        elif kind == "call":
            answer.call_result.CopyFrom(self.result(request.call.method, request.call.payload))
        elif kind == "table":
            answer.command_answer.reason = await self.command(request.table)
        await self.send(answer)

    async def heard(self) -> list[str]:
        """Return the answers given so far in the position that is shown."""
        return list(self.acts)

    async def listeners(self) -> int:
        """Return how often a listener has come to the position that is shown."""
        return len(self.attached)

    def show_view(self, view: play.TableView) -> None:
        """From now on the player sits in this position."""
        self.shown = view

    def where(self) -> str:
        """Return the table of the player."""
        if self.shown is not None:
            return self.shown.table_id if self.seated else ""
        return self.table.table_id if self.table and not self.table.over else ""

    async def close(self) -> None:
        """End what still plays."""
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def command(self, command: play.TableCommand) -> str:
        table = self.table
        if self.shown is not None:
            if command.WhichOneof("body") == "attach":
                self.spectates = command.attach.spectate
                self.attached.append((command.attach.epoch, command.attach.number))
                await self.snapshot(self.shown)
            else:
                self.acts.append(command.act.action)
            return ""
        if table is None or command.table_id != table.table_id:
            return "TABLE_UNKNOWN"
        if command.WhichOneof("body") == "attach":
            await self.snapshot(table.view())
            return ""
        return table.command(command)

    async def snapshot(self, view: play.TableView) -> None:
        """Send a view of a table; whoever is asked has `ASKED_MS` from when he came."""
        if self.shown is not None and view.play.question.number:
            view.play.question.deadline_at_ms = self.welcomed_ms + ASKED_MS
        if self.shown is not None and view.play.turn_deadline_at_ms:
            view.play.turn_deadline_at_ms = self.welcomed_ms + ASKED_MS
        shot = gateway.TableSnapshot(table_id=view.table_id, epoch=self.epoch, view=view.SerializeToString())
        await self.send(gateway.PlayResponse(table_snapshot=shot))

    async def tell(self, frame: play.Frame) -> None:
        """Send a frame at the table of the position that is shown."""
        assert self.shown is not None
        frames = gateway.TableFrames(
            table_id=self.shown.table_id, epoch=self.epoch, frames=[frame.SerializeToString()]
        )
        await self.send(gateway.PlayResponse(table_frames=frames))

    async def frame(self, frame: play.Frame) -> None:
        """Send a frame of the table."""
        assert self.table is not None
        await self.send(
            gateway.PlayResponse(
                table_frames=gateway.TableFrames(
                    table_id=self.table.table_id, epoch=1, frames=[frame.SerializeToString()]
                )
            )
        )

    async def talk(self, player: str, text: str) -> None:
        """Let somebody at the table say something."""
        message = chat.ChatMessage(
            message_id=f"m-{player}-{now_ms()}",
            channel=f"table/{self.where()}",
            player_id=player,
            text=text,
            at_ms=now_ms(),
        )
        await self.send(gateway.PlayResponse(notice=gateway.Notice(chat=message)))

    # --- what the services would say ---

    def tokens(self) -> accounts.SessionTokens:
        expires = now_ms() + 600_000
        return accounts.SessionTokens(
            access_token="stage", access_expires_at_ms=expires, refresh_token="stage"
        )

    def update_profile(self, request: accounts.UpdateProfileRequest) -> Message:
        self.profile.nickname, self.profile.avatar = request.profile.nickname, request.profile.avatar
        return accounts.UpdateProfileResponse(profile=self.profile)

    def sign_in_state(self) -> progress.SignInState:
        rewards = [500, 600, 800, 1000, 1200, 1500, 3000]
        return progress.SignInState(
            day="2026-01-01",
            signed_in=self.signed_in,
            streak=2 + self.signed_in,
            rewards=rewards,
            reward_index=2,
        )

    def sign_in(self, _: progress.SignInRequest) -> Message:
        self.signed_in = True
        return progress.SignInResponse(state=self.sign_in_state(), reward=800)

    def statistics(self) -> progress.PlayStatistics:
        return progress.PlayStatistics(
            game="paohuzi",
            preset="876cc@1",
            rounds=128,
            wins=51,
            draws=9,
            self_draws=20,
            points=214,
            best_points=48,
            best_huxi=36,
            names={"红胡": 9, "点胡": 3},
        )

    def halls(self) -> list[matchmaking.Hall]:
        """Return three halls for the first presets of every game."""
        return [
            matchmaking.Hall(
                hall_id=f"{game.game}/{preset.preset}/{key}",
                game=game.game,
                preset=preset.preset,
                title_zh=zh,
                title_en=key.title(),
                base_stake=base,
                buy_in=base * 300,
                entry_min=base * 300,
                rounds=8,
            )
            for game in self.catalogue.games
            for preset in list(game.presets)[:4]
            for key, zh, base in (
                ("novice", "新手场", 10),
                ("junior", "初级场", 50),
                ("senior", "高级场", 200),
            )
        ]

    def ticket(self, state: str) -> matchmaking.Ticket:
        table_id = self.table.table_id if self.table and state == "matched" else ""
        hall = f"paohuzi/{self.preset}/novice"
        return matchmaking.Ticket(
            ticket_id="t_1", hall_id=hall, state=state, table_id=table_id, bots_at_ms=now_ms() + 8000
        )

    def create_ticket(self, request: matchmaking.CreateTicketRequest) -> Message:
        self.gone.append(request.hall_id)
        if self.waits:
            return matchmaking.CreateTicketResponse(ticket=self.ticket("waiting"))
        self.open_table(*request.hall_id.split("/")[:2])
        return matchmaking.CreateTicketResponse(ticket=self.ticket("matched"))

    def open_table(self, game: str, preset: str) -> None:
        """Start a match with the page in seat 0."""
        rng = random.Random(self.seed)
        self.opened += 1
        table_id = "0-" + hashlib.sha256(f"{self.seed}/{self.opened}".encode()).hexdigest()[:12]
        self.table = StagedTable(
            table_id, ME, preset, rng, rounds=self.rounds, pace_s=self.pace_s, say=self.frame, game=game
        )
        task = asyncio.get_running_loop().create_task(self.table.run())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def create_room(self, request: matchmaking.CreateRoomRequest) -> Message:
        seats = next(game.seats for game in self.catalogue.games if game.game == request.game)
        others = [matchmaking.RoomPlace(seat=seat) for seat in range(2, seats)]
        self.room = matchmaking.Room(
            room_code="482913",
            owner_id=ME,
            game=request.game,
            preset=request.preset,
            options_json=request.options_json,
            rounds=request.rounds,
            rules=request.rules,
            rules_no=1,
            expires_at_ms=now_ms() + 30 * 60_000,
            state="open",
            places=[
                matchmaking.RoomPlace(seat=0, player_id=ME),
                matchmaking.RoomPlace(seat=1, player_id="bot:normal", ready=True),
                *others,
            ],
        )
        return matchmaking.CreateRoomResponse(room=self.room)

    def fill_room(self, request: matchmaking.FillRoomWithBotsRequest) -> Message:
        assert self.room is not None
        self.filled.append(request.bot)
        for place in self.room.places:
            if not place.player_id:
                place.player_id, place.ready = f"bot:{request.bot}", True
        return matchmaking.FillRoomWithBotsResponse(room=self.room)

    def post_message(self, request: chat.PostMessageRequest) -> Message:
        return chat.PostMessageResponse(
            message=chat.ChatMessage(
                message_id=request.request_id,
                channel=request.channel,
                player_id=ME,
                text=request.text,
                phrase=request.phrase,
                at_ms=now_ms(),
            )
        )


async def serve(stage: Stage, port: int = 0) -> tuple[web.AppRunner, str]:
    """Start a stage on the loopback; return its runner and address."""
    runner = web.AppRunner(stage.app(), shutdown_timeout=1.0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    host, bound = runner.addresses[0][:2]
    return runner, f"http://{host}:{bound}"

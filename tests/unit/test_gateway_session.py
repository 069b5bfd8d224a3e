"""A session in virtual time, without a door."""

from __future__ import annotations

import io
import resource
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from aiohttp import ClientConnectionResetError
from paiju.gateway.v1.gateway_service_pb2 import (
    Call,
    CallResult,
    Hello,
    Notice,
    PeopleHere,
    Ping,
    PlayRequest,
    PlayResponse,
)

from services.chassis import log
from services.chassis.auth import KEYS_BUCKET
from services.chassis.bus import subject_of
from services.chassis.clock import VirtualClock, run_virtual
from services.gateway.app import Gateway, allow_files, make
from services.gateway.doors.watch import JunkLog
from services.gateway.session import Session
from services.gateway.settings import GatewaySettings
from tests.support.process import MemoryWorld
from tests.support.real_process import KID, Tokens


class Scene:
    def __init__(self, clock: VirtualClock, **settings: Any) -> None:
        self.clock = clock
        self.process = MemoryWorld(clock).process("gateway")
        self.gateway: Gateway = make(GatewaySettings(http_port=0, **settings), self.process.parts, "gw")
        self.tokens = Tokens()
        self.closed: list[str] = []

    async def start(self) -> None:
        await (await self.process.bus.bucket(KEYS_BUCKET)).put(KID, self.tokens.public)
        await self.gateway.hub.start()

    def token(self, seconds: int, **more: Any) -> str:
        """A token that lives so long, by the virtual clock."""
        real = self.tokens.now_s()
        return self.tokens.token("p_ann", seconds=self.clock.now_ms() // 1000 - real + seconds, **more)

    def open(self, probe: Callable[[], object] | None = None) -> Session:
        return self.gateway.hub.open("test", "10.0.0.1", lambda: self.closed.append("closed"), probe)

    async def hello(self, session: Session, seconds: int = 600) -> PlayResponse:
        hello = Hello(access_token=self.token(seconds))
        await session.handle(PlayRequest(id=1, hello=hello))
        return (await session.outgoing())[-1]


def play(scene: Callable[[Scene], Awaitable[None]], **settings: Any) -> None:
    async def main(clock: VirtualClock) -> None:
        made = Scene(clock, **settings)
        await made.start()
        await scene(made)
        await made.process.stop()

    run_virtual(main)


async def last_words(session: Session) -> list[str]:
    return [response.goodbye.reason for response in await session.outgoing()]


def test_a_connection_ends_with_its_token_and_a_fresh_one_extends_it() -> None:
    async def scene(s: Scene) -> None:
        session = s.open()
        assert (await s.hello(session, seconds=100)).welcome.player_id == "p_ann"
        await s.clock.sleep(50)
        await s.hello(session, seconds=100)
        await s.clock.sleep(99)
        assert not session.is_closed
        await s.clock.sleep(2)
        assert await last_words(session) == ["TOKEN_EXPIRED"]
        assert await session.outgoing() == []
        assert s.closed == ["closed"]

    play(scene, idle_s=1000)


def test_a_person_is_here_while_a_connection_of_his_own_is_open_and_a_program_is_not_he() -> None:
    async def scene(s: Scene) -> None:
        said: list[tuple[list[str], list[str]]] = []

        async def hear(payload: bytes, subject: str) -> None:
            told = PeopleHere.FromString(payload)
            said.append((list(told.here), list(told.gone)))

        await s.process.bus.listen(subject_of(PeopleHere, key="*"), hear)
        s.process.parts.spawn("presence", s.gateway.hub.presence.run())
        program = s.open()
        token = s.token(600, kind="integrator", scopes=["play"])
        await program.handle(PlayRequest(id=1, hello=Hello(access_token=token)))
        await s.clock.sleep(2)
        assert said == []
        first, second = s.open(), s.open()
        await s.hello(first)
        await s.hello(second)
        await s.clock.sleep(2)
        await first.end()
        await s.clock.sleep(2)
        assert said == [(["p_ann"], [])]
        await second.end()
        await s.clock.sleep(2)
        assert said == [(["p_ann"], []), ([], ["p_ann"])]

    play(scene)


def test_who_has_said_his_last_word_still_gets_what_is_due_to_him(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(s: Scene) -> None:
        async def slow(*_: object) -> CallResult:
            await s.clock.sleep(2)
            return CallResult(payload=b"late")

        monkeypatch.setattr(s.gateway.hub.calls, "call", slow)
        session = s.open()
        await s.hello(session)
        await session.handle(PlayRequest(id=2, call=Call(method="accounts/GetPlayer")))
        await session.handle(PlayRequest(id=3, ping=Ping(at_ms=9)))
        session.finish()
        said = [*await session.outgoing(), *await session.outgoing()]
        assert [one.WhichOneof("body") for one in said] == ["pong", "call_result"]
        assert await session.outgoing() == []

    play(scene)


def test_an_idle_connection_ends_after_a_minute_and_a_ping_counts() -> None:
    async def scene(s: Scene) -> None:
        session = s.open()
        await s.hello(session)
        for _ in range(5):
            await s.clock.sleep(50)
            await session.handle(PlayRequest(id=2, ping=Ping()))
            await session.outgoing()
        await s.clock.sleep(59)
        assert not session.is_closed
        await s.clock.sleep(2)
        assert await last_words(session) == ["IDLE"]

    play(scene, idle_s=60)


def test_a_silent_connection_is_pinged_and_ends_soon_when_nobody_answers() -> None:
    async def scene(s: Scene) -> None:
        pinged: list[float] = []
        session = s.open(lambda: pinged.append(s.clock.monotonic()))
        began = s.clock.monotonic()
        await s.hello(session)
        await s.clock.sleep(15)
        await session.handle(PlayRequest(id=2, ping=Ping()))
        await session.outgoing()
        await s.clock.sleep(29)
        assert [round(at - began) for at in pinged] == [35]
        assert not session.is_closed
        await s.clock.sleep(2)
        assert await last_words(session) == ["IDLE"]

    play(scene, probe_s=20, probe_answer_s=10, idle_s=90)


def test_nobody_is_taken_for_dead_because_the_gateway_stood_still() -> None:
    async def scene(s: Scene) -> None:
        session = s.open(lambda: None)
        await s.hello(session)
        await s.clock.sleep(29)
        # The timer that is due at 30 s runs late, before what the client has answered is read.
        session._look_due -= 5
        await s.clock.sleep(1.5)
        assert not session.is_closed
        session.count_control(is_answer=True)
        await s.clock.sleep(20)
        assert not session.is_closed
        await s.clock.sleep(11)
        assert await last_words(session) == ["IDLE"], "and one who is dead is found as ever"

    play(scene, probe_s=20, probe_answer_s=10, idle_s=90)


def test_one_that_answers_every_ping_stays_until_it_has_said_nothing_for_too_long() -> None:
    async def scene(s: Scene) -> None:
        pinged: list[float] = []

        def answer() -> None:
            pinged.append(s.clock.monotonic())
            s.clock.call_at(s.clock.monotonic() + 1, lambda: session.count_control(is_answer=True))

        session = s.open(answer)
        await s.hello(session)
        await s.clock.sleep(89)
        assert not session.is_closed
        assert len(pinged) == 4
        await s.clock.sleep(2)
        assert await last_words(session) == ["IDLE"]

    play(scene, probe_s=20, probe_answer_s=10, idle_s=90)


def test_goodbye_is_said_even_when_the_queue_is_full_to_the_brim() -> None:
    async def scene(s: Scene) -> None:
        session = s.open()
        await s.hello(session)
        for _ in range(8):
            session.send(PlayResponse(notice=Notice()))
        assert not session.is_closed
        session.close("SHUTTING_DOWN")
        assert (await last_words(session))[-1] == "SHUTTING_DOWN"

    play(scene, queue_items_max=8)


def test_a_queue_that_overflows_is_forgotten_and_says_so() -> None:
    async def scene(s: Scene) -> None:
        session = s.open()
        await s.hello(session)
        for _ in range(8):
            session.send_frame("0-table1", 1, b"frame")
        session.send_frame("0-table1", 1, b"one too many")
        assert await last_words(session) == ["TOO_SLOW"]
        session.send(PlayResponse(notice=Notice()))
        assert await session.outgoing() == []

    play(scene, queue_items_max=8)


def test_what_is_said_after_goodbye_is_not_heard() -> None:
    async def scene(s: Scene) -> None:
        session = s.open()
        await s.hello(session)
        session.close("IDLE")
        session.close("SHUTTING_DOWN")
        await session.handle(PlayRequest(id=9, ping=Ping()))
        assert await last_words(session) == ["IDLE"]

    play(scene)


def test_an_ended_session_leaves_nothing_behind() -> None:
    async def scene(s: Scene) -> None:
        hub = s.gateway.hub
        for _ in range(50):
            session = s.open()
            await s.hello(session)
            await session.end()
            await session.end()
            assert await session.outgoing() == []
        assert not hub._sessions
        assert not hub._by_player
        assert not hub._by_address
        assert not hub._chat_of
        assert len(hub._notices) == len(hub._chat) == 0

    play(scene)


def test_a_process_may_open_as_many_files_as_it_has_connections() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
        allow_files(800)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (800, hard)
        allow_files(600)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (800, hard), "never less than before"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What is logged from now on."""
    out = io.StringIO()
    log.configure("warning", as_json=True, stream=out)
    yield out
    log.configure("warning", as_json=True)


def test_a_client_that_leaves_before_it_is_answered_is_no_error_and_a_defect_is(
    logged: io.StringIO,
) -> None:
    JunkLog().exception("broke", exc_info=ClientConnectionResetError("Cannot write to closing transport"))
    assert logged.getvalue() == ""
    JunkLog().exception("broke", exc_info=KeyError("x"))
    assert "request_broke" in logged.getvalue()

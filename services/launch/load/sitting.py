"""One seat (or one spectator's place) at one table, for one match."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Final

from paiju.table.v1.play_pb2 import Act, Attach, Detach, Frame, Ready, RevealNonce, Sit

from engine import Refusal
from services.launch.load.chance import Stream
from services.launch.load.client import Client, GaveUp, Left
from services.launch.load.policy import Mind
from services.launch.load.transcript import Transcript
from services.launch.load.wires import Refused

ROUNDS_MAX: Final = 64
SETTLE_S_MAX: Final = 10.0
"""A last round that is not settled so long after the match is counted, and not waited for any longer."""

STALL_S: Final = 90.0
"""A seat that hears nothing for so long counts as forgotten."""


class Sitting:
    """See the module. The client hands it what it hears of the table.

    Args:
        client: Whose it is.
        table_id: The table.
        think: How long answers take; None = a spectator.
        choices: What the player's bot draws from.
        secret: Of the chain of nonces; empty = gives none.
    """

    def __init__(
        self, client: Client, table_id: str, think: Stream | None, choices: Stream, secret: bytes
    ) -> None:
        world = client.world
        self.client = client
        self.table_id = table_id
        self.figures = client.figures
        self.transcript = Transcript(table_id, client.figures.is_wrong, world.auditor)
        self.over = asyncio.Event()
        """The match is over, or we can't go on."""
        self._settled = asyncio.Event()
        self._clock = world.clock
        self._board = world.sit_at(table_id)
        self._tape = world.tape
        self._number = world.tape.next_sitting()
        self._ended_by = ""
        self._think = think
        self._choices = choices
        self._mind: Mind | None = None
        self._nonces = _chain(secret) if secret else []
        self._asked = ("", 0)
        self._due: float | None = None
        self._ended_at = 0.0
        self._heard_at = self._clock.monotonic()

    @property
    def spectates(self) -> bool:
        """Whether we only look."""
        return self._think is None

    def attach(self, *, from_nothing: bool = False) -> Attach:
        """Return what we have, for the table to fill the gap."""
        if from_nothing:
            return Attach(spectate=self.spectates)
        transcript = self.transcript
        transcript.ask_from(transcript.number)
        return Attach(epoch=transcript.epoch, number=transcript.number, spectate=self.spectates)

    async def begin(self) -> None:
        """Listen, and take the seat.

        Raises:
            GaveUp, Refused: The table does not let us.
        """
        self.client.sitting = self
        self._tape.note(
            "sits",
            self._number,
            table=self.table_id,
            player=self.client.account.player_id,
            door=self.client.door,
            spectates=self.spectates,
        )
        await self.client.trying("attach", self._attach)
        if not self.spectates:
            head = self._nonces[0] if self._nonces else b""
            try:
                await self.client.command("sit", self.table_id, "sit", sit=Sit(nonce_head=head))
            except Refused as refused:
                if str(refused) != "ALREADY_SEATED":
                    raise

    async def play(self) -> None:
        """Play until the match is over and its last round is settled.

        Raises:
            GaveUp: Nothing is heard of the table any more.
        """
        while not self.over.is_set():
            try:
                async with self._clock.timeout(STALL_S / 3):
                    await self.over.wait()
            except TimeoutError:
                if self._clock.monotonic() - self._heard_at > STALL_S:
                    self._ended_by = "stalled"
                    raise GaveUp("STALLED") from None
        if self.spectates or self.transcript.fold is None or not self.transcript.fold.is_over:
            return
        try:
            async with self._clock.timeout(SETTLE_S_MAX):
                await self._settled.wait()
        except TimeoutError:
            self.figures.count("unsettled")

    async def end(self) -> None:
        """Stop listening."""
        self.client.sitting = None
        is_over = self.transcript.fold is not None and self.transcript.fold.is_over
        self._tape.note("rises", self._number, why="over" if is_over else self._ended_by or "left")
        self.client.world.rise_from(self.table_id)
        try:
            link = await self.client.link(1.0)
            await self.client.trying("detach", partial(link.command, self.table_id, detach=Detach()), 1.0)
        except (GaveUp, Refused):
            return  # the connection is away; nobody listens then

    # Hearing

    def frames(self, epoch: int, raw: Sequence[bytes]) -> None:
        """Take frames of the table."""
        self._heard_at = now = self._clock.monotonic()
        self.figures.count("frames", len(raw))
        self._tape.frames(self._number, epoch, raw)
        for frame, kind in self.transcript.frames(epoch, raw):
            if kind == "play":
                self._time(frame, now)
            elif kind == "round_opening":
                self._reveal(frame.round_opening.round_id)
            elif kind == "round_end":
                self._end_round(frame, now)
            elif kind == "round_settlement" and frame.round_settlement.settled and not self.spectates:
                if self._ended_at:
                    self.client.time("settle", now - self._ended_at)
                self.figures.count(f"seats_told_{frame.round_settlement.verdict.lower()}")
        self._go_on()

    def view(self, epoch: int, data: bytes) -> None:
        """Take a view of the table."""
        self._heard_at = self._clock.monotonic()
        self.figures.count("views")
        self._tape.view(self._number, epoch, data)
        before = self.transcript.checked_views
        shown = self.transcript.view(epoch, data)
        self.figures.count("views_checked", self.transcript.checked_views - before)
        if self._mind is None:
            self._mind = Mind(shown.game, self.client.world.order.policy, self._choices)
        if shown.phase == "opening":
            self._reveal(shown.opening.round_id)
        self._go_on()

    def detached(self, reason: str) -> None:
        """The table does not tell us anything any more."""
        if not self.over.is_set():
            self.figures.errors[f"detached:{reason}"] += 1
            self._ended_by = f"detached:{reason}"
        self.over.set()

    def _go_on(self) -> None:
        fold = self.transcript.fold
        if fold is None:
            return
        if fold.is_over:
            self.over.set()
        if fold.is_settled or not fold.round_no:
            self._settled.set()
        else:
            self._settled.clear()
        question = fold.question
        if question is None or self._think is None or self._asked == (fold.round_id, question.number):
            return
        self._asked = asked = (fold.round_id, question.number)
        order = self.client.world.order
        due = self._clock.monotonic() + self._think.lognormal(order.think_ms, order.think_sigma) / 1000
        self._clock.call_at(due, partial(self._act, asked, due))

    def _time(self, frame: Frame, now: float) -> None:
        if self.client.is_slow:
            return
        mine = f"answer {self.transcript.seat} "
        if self._due is not None and any(text.startswith(mine) for text in frame.play.events):
            if self.client.was_linked(self._due):
                self.figures.time("action", now - self._due)
                self._board.acted(frame.at_ms, self._due)
            else:
                self.figures.time("action_after_drop", now - self._due)
            self._due = None
        elif self.client.was_linked(now):
            name = "action_to_watchers" if self.spectates else "action_to_others"
            self._board.heard(frame.at_ms, name, now)

    def _end_round(self, frame: Frame, now: float) -> None:
        end = frame.round_end
        self._ended_at = now
        if not end.record:
            self.figures.count("seats_told_of_void_rounds")
        else:
            self.figures.now.rounds.add(end.round_id)
        if end.next_round_at_ms and not self.spectates:
            self._say("ready", f"ready {frame.number}", ready=Ready())

    # Saying

    async def _attach(self) -> None:
        link = await self.client.link()
        answer = await link.command(self.table_id, attach=self.attach())
        self.transcript.ask_from(None)
        if answer.reason:
            raise Refused(answer.reason)

    def _reveal(self, round_id: str) -> None:
        number = int(round_id.rpartition("/")[2])
        if self._nonces and not self.spectates:
            reveal = RevealNonce(round_id=round_id, nonce=self._nonces[number])
            self._say("nonce", f"nonce {round_id}", reveal_nonce=reveal)

    def _say(self, what: str, command_id: str, **body: object) -> None:
        async def say() -> None:
            try:
                await self.client.command(what, self.table_id, command_id, **body)
            except Refused as refused:
                self.figures.refusals[f"{what}:{refused}"] += 1
            except Left:
                return
            except GaveUp as problem:
                self.figures.errors[str(problem)] += 1

        self.client.world.spawn(say())

    def _act(self, asked: tuple[str, int], due: float) -> None:
        """Answer now, if the question is still open."""
        fold = self.transcript.fold
        assert fold is not None, "a question comes after a view"
        if self.client.sitting is not self:
            return
        if fold.question is None or (fold.round_id, fold.question.number) != asked:
            self.figures.count("questions_withdrawn")
            return
        assert self._mind is not None, "a mind is made with the first view"
        try:
            action = self._mind.choose(fold.texts)
        except Refusal as problem:
            self.figures.is_wrong("events", f"table {self.table_id}: {asked} does not fold: {problem}")
            return
        self._due = due
        self.client.world.spawn(self._answer(asked, action, due))

    async def _answer(self, asked: tuple[str, int], action: str, due: float) -> None:
        round_id, number = asked
        act = Act(round_id=round_id, question=number, action=action)
        said = {"round": round_id, "question": number, "action": action}
        self._tape.note("says", self._number, **said)
        try:
            await self.client.command("act", self.table_id, act=act)
        except Refused as refused:
            self.figures.refusals[f"act:{refused}"] += 1
            self._tape.note("refused", self._number, **said, reason=str(refused))
            return
        except Left:
            self._tape.note("refused", self._number, **said, reason="LEFT")
            return
        except GaveUp as problem:
            self.figures.errors[str(problem)] += 1
            self._tape.note("refused", self._number, **said, reason=f"GAVE_UP {problem}")
            return
        self._tape.note("accepted", self._number, **said)
        self.figures.count("actions")
        self.transcript.accepted(round_id, number, action)
        if self.client.was_linked(due):
            self.client.time("acknowledged", self._clock.monotonic() - due)


def _chain(secret: bytes) -> list[bytes]:
    """Return the links of a chain of nonces, its head first (docs/fair-deal.md)."""
    links = [secret]
    for _ in range(ROUNDS_MAX):
        links.append(hashlib.sha256(b"paiju-nonce-1" + links[-1]).digest())
    return links[::-1]

"""A person at one table: what he plays, says twice, lies about, and holds against what he was told before."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Final

from paiju.table.v1 import play_pb2 as p

from services.table.core.state import ANSWERED_MAX
from tests.simulation.client import Player, Violation
from tests.simulation.person import AGAIN, NOT_NOW, Person

ANSWER_S: Final = 12.0
"""A command without an answer for so long: the connection is given up. The gateway gives one up after ten
seconds, and says so."""


class Client(Player):
    """A person at one table: what `client.Player` does, over the connection of its person."""

    idle_s = 8.0
    """The gateway fills gaps by itself."""

    def __init__(self, person: Person, table_id: str, nags: float) -> None:
        self.mine: set[int] = set()
        self.views: list[p.TableView] = []
        """Every view he was shown."""
        self.refusals: dict[tuple[int, str], str] = {}
        """(question, action) → the reason that was given for not taking it; not when so much has happened
        since that the table may have forgotten the first answer."""
        rng = random.Random(f"{person.player_id}/{table_id}/{person.rng.random()}")
        super().__init__(person, person.player_id, table_id, rng, session=table_id)  # type: ignore[arg-type]
        self.person = person
        self.nags = nags
        self.whims = 0.02
        """How often he does something that is not asked for, or lies."""
        self.absences = 0.1
        """How often he goes away for a while, each time his client looks whether it is connected."""
        self.replaced = 0
        """How often he was told that a newer connection has his seat."""
        self._twice: dict[int, list[str]] = {}
        """What was said twice: both tags → the answers heard so far."""
        person.clients.append(self)

    def listens_to(self, seat: int | None) -> int:
        """Return whose frames it is shown, by the seat of its player."""
        assert seat is not None, "who plays has a seat"
        return seat

    def take_frame(self, epoch: int, data: bytes) -> None:
        """Take a frame; the gateway leaves no gap."""
        frame = p.Frame.FromString(data)
        if frame.number > self.last + 1:
            raise Violation(f"{self.player} had frame {self.last} and got {frame.number} from the gateway")
        self.person.around.saw_frame(self, frame.number, data)
        self._frame(epoch, data)
        self.changed.set()

    def take_view(self, epoch: int, data: bytes) -> None:
        """Take a view: equal to the fold of the frames up to its number, if there were any."""
        view = p.TableView.FromString(data)
        self.views.append(view)
        if view.number < self.last:
            raise Violation(f"{self.player} had seen frame {self.last} and is shown view {view.number}")
        if self.last and view.number == self.last:
            self.check_view(view)
        self.person.around.saw_view(self, view)
        self.last, self.epoch = view.number, epoch
        self.fold.start(view)
        self.changed.set()

    def take_detached(self, reason: str) -> None:
        """Learn that this connection listens no longer."""
        self.replaced += reason == "REPLACED"
        self.is_attached = False
        self.changed.set()

    def compare(self, tag: int, reason: str) -> None:
        """What was said twice is answered twice alike: what was accepted is not refused afterwards."""
        told = self._twice.pop(tag, None)
        if told is None or reason in NOT_NOW or reason in AGAIN:
            return
        told.append(reason)
        if len(told) > 1 and not told[0] and reason:
            raise Violation(f"what {self.player} said twice was accepted, and is now {reason}")

    async def say(self, command_id: str = "", tries: int = 1_000, **body: object) -> p.CommandAnswer:
        """Send a command until it is answered; now and then twice."""
        command = p.TableCommand(table_id=self.table_id, command_id=command_id, **body)  # type: ignore[arg-type]
        for _ in range(tries):
            tag = self.door.next_tag()
            self.mine.add(tag)
            await self.door.send(self.player, self.session, tag, command)
            if self.rng.random() < self.nags / 4:
                again = self.door.next_tag()
                self._twice[tag] = self._twice[again] = []
                await self.door.send(self.player, self.session, again, command)
            answer = await self._answer_to(tag)
            if answer is None or answer.reason in NOT_NOW or answer.reason in AGAIN:
                await self.door.clock.sleep(0.1 + 0.4 * self.rng.random())
                continue
            said = str(command).replace("\n", " ")
            self.person.around.note(f"{self.player} says {said}: {answer.reason or 'taken'}")
            self.person.around.was_answered(self, command, answer.reason)
            if "act" in body:
                self._note_refusal(body["act"], answer.reason)
            return answer
        raise Violation(f"no answer to {command}")

    def _note_refusal(self, act: object, reason: str) -> None:
        assert isinstance(act, p.Act)
        if any((given.question, given.action) == (act.question, act.action) for given in self.accepted):
            return
        self.refusals.pop((act.question, act.action), None)
        if reason and self.person.around.questions_since(self, act.question) < ANSWERED_MAX:
            self.refusals[act.question, act.action] = reason

    async def _answer_to(self, tag: int) -> p.CommandAnswer | None:
        pipe = self.person.pipe
        try:
            async with self.door.clock.timeout(ANSWER_S):
                while tag not in self.answers:
                    if self.person.pipe is not pipe or pipe is None:
                        return None
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            self.person.around.was_left_alone(self)
            self.person.drop()
            return None
        finally:
            self.mine.discard(tag)
        return self.answers.pop(tag)

    async def play(self, until: Callable[[Player], bool] | None = None) -> None:
        """Play on; a connection that fell silent is noticed."""
        looking = asyncio.get_running_loop().create_task(self._look())
        try:
            await super().play(until)
        finally:
            looking.cancel()

    async def _look(self) -> None:
        clock = self.door.clock
        while True:
            await clock.sleep(10.0 + 5.0 * self.rng.random())
            if self.rng.random() < self.absences:
                self.person.around.note(f"{self.player} goes away")
                self.person.drop()
                self.person.away_until = clock.monotonic() + 20.0 * self.rng.random()
            await self.person.is_alive()

    async def _act(self) -> bool:
        """Do what is asked of this seat, and now and then what is not."""
        if not self.view.seats or self.view.seats[self.view.seat].left:
            # Nothing was shown yet, or the seat was left.
            return False
        if self.view.phase == "seating" and self.rng.random() < self.whims / 2:
            await self.say("leave", leave=p.Leave())
        elif self.rng.random() < self.whims:
            await self._whim()
        vote = self.view.vote
        if vote.until_ms and self.view.seat not in (*vote.agreed, *vote.refused):
            await self.say(
                f"vote-{vote.until_ms}", dissolve_vote=p.DissolveVote(agree=self.rng.random() < 0.7)
            )
        return await super()._act()

    async def _whim(self) -> None:
        view, rng = self.view, self.rng
        whim = rng.randrange(6)
        if whim == 0 and view.phase == "between" and rng.random() < 0.5:
            await self.say("leave", leave=p.Leave())
        elif whim == 1:
            for on in (True, False):
                await self.say(f"auto-{on}-{self.last}", set_auto_play=p.SetAutoPlay(on=on))
        elif whim == 2 and view.play.HasField("question"):
            await self._lie(view.play.question.number + 40, view.play.question.actions[0])
        elif whim == 3 and view.play.HasField("question"):
            wrong = rng.choice(("pass", "hu", "discard zz", "peng", ""))
            if wrong not in self.game.fold(view.play.events).legal:
                await self._lie(view.play.question.number, wrong)
        elif whim == 4 and view.play.HasField("question") and view.seats[view.seat].extensions:
            asked = view.play
            more = p.Extend(round_id=asked.round_id, question=asked.question.number)
            await self.say(f"extend-{asked.question.number}", extend=more)
        elif whim == 5 and view.phase == "playing" and not view.HasField("vote") and rng.random() < 0.3:
            await self.say(f"end-{self.last}", dissolve_vote=p.DissolveVote(agree=True))

    async def _lie(self, question: int, action: str) -> None:
        """Say what nobody may: it is refused, and changes nothing."""
        act = p.Act(round_id=self.view.play.round_id, question=question, action=action)
        answer = await self.say(act=act)
        if not answer.reason:
            raise Violation(f"{self.player} was believed: {act}")

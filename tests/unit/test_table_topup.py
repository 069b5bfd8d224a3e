"""A stake that does not reach for another round: the match waits, says for whom, and goes on or ends."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from paiju.table.v1 import play_pb2 as p

from engine import GAMES
from services.chassis.clock import VirtualClock, run_virtual
from services.table.core import commands as c
from services.table.core import events as e
from services.table.core import frames as f
from services.table.core.duties import due_event, next_due
from services.table.core.events import Stake
from services.table.core.state import CommandDone
from services.table.core.table import NEVER, Table
from tests.simulation.client import Player
from tests.simulation.script import Script, fold_of, observables, view
from tests.simulation.tables import spec
from tests.support.table_room import TABLE, Room

QUICK = (
    '{"claim_pause_ms":200,"turn_ms":3000,"claim_ms":2000,"between_ms":500,"nonce_ms":400,"seat_ms":20000}'
)
STAKE = Stake("gold", 300, 1, 100, 20)
NEEDED = 120


def between(*people: str, stakes: tuple[int, ...], rounds: int = 3, stake: Stake = STAKE) -> Script:
    """Return a table whose first round has just been settled, and has left these stakes."""
    script = Script(spec(*people, rounds=rounds, timing=QUICK, stake=stake), 3, noise=0)
    while script.table.s.rounds_played == 0:
        assert script.step()
    while script.table.s.owed:
        script.pay(settle=False)
    script.apply(e.Audited(script.now, 1, True, "test"))
    script.apply(e.Settled(script.now, 1, (0, 0, 0), stakes, fees=(20, 20, 20)))
    return script


def show(script: Script) -> f.Paused | None:
    """Let the result be shown; return what the match waits for then."""
    while script.table.pending:
        script.pass_time(script.table.pending[0].show_at)
    return script.table.s.board.paused


def due(script: Script, within_ms: int = 60_000) -> None:
    """Let time pass up to the next event that is due."""
    at = next_due(script.table)
    assert at <= script.now + within_ms, "nothing is due"
    script.pass_time(at)
    event = due_event(script.table, script.now, script.chance)
    if event is not None:
        script.apply(event)


def added(script: Script, seat: int) -> None:
    """Economy has moved the coins."""
    adding = script.table.s.seats[seat].adding
    assert adding is not None
    script.apply(e.StakeAdded(script.now, seat, script.table.s.stakes[seat] + adding.amount))


def refused(script: Script, seat: int, command: c.Command, command_id: str = "x") -> str:
    """Return the reason of a refusal, having checked that nothing has changed."""
    before = observables(script.table)
    decision = script.command(seat, command, command_id)
    assert observables(script.table) == before
    assert isinstance(decision, c.Refused), decision
    return decision.reason


def test_everybody_is_told_whose_stake_is_short_by_how_much_and_until_when() -> None:
    script = between("p_a", "p_b", stakes=(119, 120, 500))
    paused = show(script)
    assert paused == f.Paused("STAKE_SHORT", (f.ShortStake(0, 119, 1, 181),), paused.until if paused else 0)
    assert paused is not None
    assert paused.until - script.now == 20_000
    for listener in (0, 1, -1):
        seen = fold_of(script.frames(listener), None)
        assert seen.paused == p.Paused(
            reason="STAKE_SHORT",
            short=[p.ShortStake(seat=0, stake=119, least=1, most=181)],
            until_ms=paused.until,
        )
        assert view(script.table, listener).paused == seen.paused
    assert view(script.table, 0).fee == 20
    assert list(view(script.table, 0).settlement.fees) == [20, 20, 20]


def test_a_stake_of_exactly_minimum_and_fee_is_enough() -> None:
    script = between("p_a", stakes=(NEEDED, NEEDED, NEEDED))
    assert show(script) is None
    due(script)
    assert script.table.s.phase == "opening"


@pytest.mark.parametrize("amount", [1, 100, 181])
def test_who_adds_enough_plays_on(amount: int) -> None:
    script = between("p_a", "p_b", stakes=(119, 500, 500))
    show(script)
    decision = script.command(0, c.AddStake(amount), "add")
    assert decision == c.Do((script.events[-1],), later=True), "answered once the coins are there"
    assert next_due(script.table) == NEVER, "economy is asked; nobody is hurried"
    added(script, 0)
    assert script.done == [*script.done[:-1], CommandDone(0, "add", "")]
    assert script.table.s.board.paused is None
    assert script.table.s.board.seats[0].stake == 119 + amount
    assert script.command(0, c.AddStake(amount), "add") == c.Again("")
    due(script)
    assert script.table.s.phase == "opening"


@pytest.mark.parametrize("amount", [0, -5, 182, 2**62])
def test_too_little_or_too_much_is_refused(amount: int) -> None:
    script = between("p_a", "p_b", stakes=(119, 500, 500))
    show(script)
    assert refused(script, 0, c.AddStake(amount)) == "STAKE_AMOUNT_WRONG"


def test_coins_are_added_to_the_own_stake_only_while_it_is_short_and_once() -> None:
    script = between("p_a", "p_b", stakes=(119, 500, 500))
    assert refused(script, 0, c.AddStake(50), "early") == "STAKE_NOT_SHORT", "it is not shown yet"
    show(script)
    assert refused(script, 1, c.AddStake(50)) == "STAKE_NOT_SHORT"
    assert refused(script, 1, c.DeclineStake(), "y") == "STAKE_NOT_SHORT"
    script.command(0, c.AddStake(50), "first")
    assert refused(script, 0, c.AddStake(60), "second") == "STAKE_PENDING"
    assert refused(script, 0, c.DeclineStake(), "third") == "STAKE_PENDING"
    assert refused(script, 0, c.AddStake(60), "first") == "COMMAND_ID_REUSED"
    assert script.command(0, c.AddStake(50), "first") == c.Wait()
    added(script, 0)
    assert refused(script, 0, c.AddStake(50), "late") == "STAKE_NOT_SHORT"


def test_the_match_ends_when_somebody_declines() -> None:
    script = between("p_a", "p_b", stakes=(119, 90, 500))
    show(script)
    script.command(1, c.DeclineStake())
    assert script.table.s.cause == "stake_short"
    assert refused(script, 0, c.AddStake(50)) == "MATCH_OVER"


def test_the_match_ends_when_the_time_is_up() -> None:
    script = between("p_a", "p_b", stakes=(119, 500, 500))
    paused = show(script)
    assert paused is not None
    due(script)
    assert (script.table.s.cause, script.now) == ("stake_short", paused.until)


def test_of_two_short_stakes_both_are_waited_for() -> None:
    script = between("p_a", "p_b", stakes=(100, 90, 500))
    show(script)
    script.command(0, c.AddStake(20))
    added(script, 0)
    paused = script.table.s.board.paused
    assert paused is not None
    assert [one.seat for one in paused.short] == [1]
    script.command(1, c.AddStake(30))
    added(script, 1)
    assert script.table.s.board.paused is None


def test_a_decision_of_another_waits_until_it_is_known_where_the_coins_are() -> None:
    script = between("p_a", "p_b", stakes=(100, 90, 500))
    show(script)
    script.command(0, c.AddStake(20))
    script.command(1, c.DeclineStake())
    assert script.table.s.phase == "between"
    added(script, 0)
    assert script.table.s.cause == "stake_short"


def test_who_can_not_pay_may_try_less_until_the_time_is_up() -> None:
    script = between("p_a", "p_b", stakes=(100, 500, 500))
    show(script)
    script.command(0, c.AddStake(200), "much")
    script.apply(e.AddRefused(script.now, 0, "INSUFFICIENT_FUNDS"))
    assert script.done[-1] == CommandDone(0, "much", "INSUFFICIENT_FUNDS")
    assert script.command(0, c.AddStake(200), "much") == c.Again("INSUFFICIENT_FUNDS")
    script.command(0, c.AddStake(20), "less")
    added(script, 0)
    assert script.table.s.board.paused is None


def test_who_leaves_is_not_waited_for_and_his_coins_are_not_lost() -> None:
    script = between("p_a", "p_b", stakes=(100, 500, 500))
    show(script)
    script.command(0, c.AddStake(20), "add")
    script.command(0, c.Leave())
    assert script.table.s.cause == "left"
    assert script.done[-1] == CommandDone(0, "add", "MATCH_OVER")
    keys = [owed.key for owed in script.table.s.owed]
    assert keys == ["match", "close/0", "close/1", "close/2"], "whatever is in the stake goes back"


def test_the_house_fills_up_its_bots_unasked_once_the_settlement_is_shown() -> None:
    script = between("p_a", stakes=(500, 30, 119))
    assert script.table.s.board.paused is None
    while script.table.s.phase == "between":
        due(script)
        while script.pay(settle=False):
            pass
    assert script.table.s.stakes == [500, 300, 300]
    assert [seat.stake for seat in script.table.s.board.seats] == [500, 300, 300]
    assert show(script) is None


def test_a_match_whose_bot_the_house_does_not_fill_up_ends() -> None:
    script = between("p_a", stakes=(500, 30, 500))
    due(script)
    script.apply(e.AddRefused(script.now, 1, "STAKE_CLOSED"))
    assert script.table.s.cause == "stake_short"


def test_a_stake_that_can_never_be_filled_up_ends_the_match() -> None:
    odd = Stake("gold", 300, 1, 400)
    script = between("p_a", stakes=(300, 300, 300), stake=odd)
    assert script.table.s.cause == "stake_short"


def test_no_stake_is_short_after_the_last_round() -> None:
    script = between("p_a", stakes=(0, 500, 500), rounds=1)
    assert script.table.s.cause == "all_rounds"


def test_a_new_owner_gives_time() -> None:
    script = between("p_a", stakes=(100, 500, 500))
    paused = show(script)
    assert paused is not None
    script.pass_time(paused.until - 1)
    script.apply(e.ShardTaken(script.now, "other", "i", 3_000))
    assert next_due(script.table) == script.now + 3_000
    base, since = script.table.base, tuple(script.table.since)
    restored = Table.restore(script.table_id, base, since, GAMES)
    restored.advance(script.now)
    assert observables(restored) == observables(script.table)


def test_in_random_matches_all_of_it_happens() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        low = Stake("gold", 200, 50, 60, 30)
        played = Script(spec("p_a", "p_b", rounds=4, timing=QUICK, stake=low), seed, noise=0).run()
        seen.update(type(event).__name__ for event in played.events)
        seen[played.table.s.cause] += 1
    wanted = ("AddAsked", "StakeAdded", "AddRefused", "StakeDeclined", "stake_short", "all_rounds")
    assert [what for what in wanted if not seen[what]] == []


# With an owner, a log and a bank


def test_a_new_owner_asks_for_the_same_coins_under_the_same_name() -> None:
    """The first one is gone after it asked, before its answer; coins move once."""

    async def play(clock: VirtualClock) -> None:
        room = Room(clock)
        await room.start("first")
        await room.sit()
        made = spec("p_a", rounds=3, timing=QUICK, stake=Stake("gold", 300, 1, 100, 20))
        room.shard.tables.do(TABLE, (e.TableCreated(room.shard.tables.now(), made, b"f"),))
        await room.player.play(until=lambda one: one.view.phase == "between")
        room.bank.open[TABLE, 0] = 100
        owner = room.shard.tables
        settled = e.Settled(owner.now(), 1, (0, 0, 0), (100, 320, 320), fees=(20, 20, 20))
        owner.do(TABLE, (e.Audited(owner.now(), 1, True, "t"), settled))
        await room.player.play(until=lambda one: one.view.paused.reason == "STAKE_SHORT")
        room.bank.outages = 10_000
        adding = room.hosts[0].means.spawn("add", add(room.player))
        while ("add", TABLE, 0) not in room.bank.calls:
            await clock.sleep(0.01)
        until_ms = room.player.view.paused.until_ms
        await clock.sleep((until_ms - clock.now_ms()) / 1000 + 5)
        assert room.player.view.phase == "between", "the bank is away: the match waits"
        await room.hosts[0].kill()
        room.bank.outages = 0
        await room.start("second")
        await room.player.play(until=lambda one: one.view.phase not in ("between", "finished"))
        assert room.bank.added == {(TABLE, 0, "1/add"): (150, 250)}
        assert room.player.view.seats[0].stake == 250
        adding.cancel()

    async def add(player: Player) -> None:
        answer = await player.say("add", add_stake=p.AddStake(amount=150))
        assert answer.reason == ""

    random.seed(1)
    run_virtual(play)

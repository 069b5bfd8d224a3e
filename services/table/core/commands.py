"""What a player may ask of a table, and the table's decision: events, a refusal, or the first answer again.

A refusal depends only on what the seat has been shown: two positions that it cannot tell apart refuse it
alike.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import msgspec

from engine.errors import BadNotation
from engine.fair_deal import SEED_BYTES, follows
from services.table.core import events as e
from services.table.core.frames import ShortStake
from services.table.core.match import is_gone
from services.table.core.table import Table

COMMAND_ID_CHARS_MAX = 64
ACTION_CHARS_MAX = 256
REFUSED_MAX = 32
"""Refusals remembered per table."""

LET_IN_MAX = 32
"""Who watch a table by leave of a seat."""


class Command(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a seat asks for."""


class Sit(Command, frozen=True, tag=1):
    """Take the offered seat."""

    nonce_head: bytes


class Reveal(Command, frozen=True, tag=2):
    """Reveal the nonce of a round."""

    round_id: str
    nonce: bytes


class Act(Command, frozen=True, tag=3):
    """Answer a question."""

    round_id: str
    question: int
    action: str


class Ready(Command, frozen=True, tag=4):
    """Ready for the next round."""


class Leave(Command, frozen=True, tag=5):
    """Leave the match."""


class Vote(Command, frozen=True, tag=6):
    """Ask for, or vote on, ending the match now."""

    agree: bool


class AutoPlay(Command, frozen=True, tag=7):
    """Switch 托管."""

    on: bool


class AddStake(Command, frozen=True, tag=8):
    """Add coins to the own stake, which is short."""

    amount: int


class DeclineStake(Command, frozen=True, tag=9):
    """Add nothing to it."""


class Extend(Command, frozen=True, tag=10):
    """Take more time for the turn that is asked."""

    round_id: str
    question: int


class LetWatch(Command, frozen=True, tag=11):
    """Let somebody watch who asks, or not; or send away who was let in."""

    player: str
    allow: bool


class Do(msgspec.Struct, frozen=True, gc=False):
    """Append these; accepted once they are durable, or (`later`) once the table says `CommandDone`."""

    events: tuple[e.TableEvent, ...]
    later: bool = False


class Refused(msgspec.Struct, frozen=True, gc=False):
    """No; nothing changes."""

    reason: str
    field: str = ""


class Again(msgspec.Struct, frozen=True, gc=False):
    """A repeat: the first answer."""

    reason: str


class Wait(msgspec.Struct, frozen=True, gc=False):
    """A repeat of what is still being done."""


class Behind(msgspec.Struct, frozen=True, gc=False):
    """The sender knows a question that this owner does not: say nothing until it is clear who owns."""


Decision = Do | Refused | Again | Wait | Behind

_encoder = msgspec.msgpack.Encoder()


def digest_of(command: Command) -> bytes:
    """Return what tells a repeat from another command under the same id."""
    return sha256(_encoder.encode(command)).digest()[:12]


def decide(
    table: Table, player: str, command_id: str, command: Command, now: int, durable_version: int
) -> Decision:
    """Decide on a command.

    Args:
        table: The table, with all that is appended or about to be.
        player: The signed-in sender.
        command_id: Chosen by the client; not needed for `Act`.
        command: What is asked.
        now: Unix milliseconds.
        durable_version: The table's version that the log has acknowledged: a question raised later isn't
            shown yet.
    """
    number = table.seat_of(player)
    if number is None:
        return Refused("NOT_SEATED")
    if isinstance(command, Act):
        return _act(table, number, command, now, durable_version)
    if not 0 < len(command_id) <= COMMAND_ID_CHARS_MAX:
        return Refused("INVALID_ARGUMENT", "command_id")
    seat = table.s.seats[number]
    digest = digest_of(command)
    for said in seat.said:
        if said.command_id == command_id:
            return Again(said.reason) if said.digest == digest else Refused("COMMAND_ID_REUSED")
    if seat.sitting is not None and seat.sitting.command_id == command_id:
        return Wait() if seat.sitting.digest == digest else Refused("COMMAND_ID_REUSED")
    if seat.adding is not None and seat.adding.command_id == command_id:
        return Wait() if seat.adding.digest == digest else Refused("COMMAND_ID_REUSED")
    if isinstance(command, Extend):
        question = table.questions[number]
        if question is not None and question.version > durable_version:
            return Behind()
    key = (number, command_id + digest.hex())
    if key in table.refused:
        return Again(table.refused[key])
    decision = _decide(table, number, command_id, digest, command, now)
    if isinstance(decision, Refused):
        if len(table.refused) >= REFUSED_MAX:
            del table.refused[next(iter(table.refused))]
        table.refused[key] = decision.reason
    return decision


def _decide(
    table: Table, number: int, command_id: str, digest: bytes, command: Command, now: int
) -> Decision:
    if table.s.phase == "finished":
        return Refused("MATCH_OVER")
    if table.s.frozen:
        return Refused("TABLE_FROZEN")
    return _DECIDES[type(command)](table, number, (now, number, command_id, digest), command)


Head = tuple[int, int, str, bytes]


def _sit(table: Table, number: int, head: Head, command: Sit) -> Decision:
    if len(command.nonce_head) not in (0, SEED_BYTES):
        return Refused("INVALID_ARGUMENT", "nonce_head")
    seat = table.s.seats[number]
    if seat.taken:
        return Refused("ALREADY_SEATED")
    if seat.sitting is not None:
        return Refused("SEAT_PENDING")
    asked = e.SitAsked(*head, command.nonce_head)
    if table.s.spec.stake is not None:
        return Do((asked,), later=True)
    return Do((asked, e.SeatTaken(asked.at, number, 0)))


def _reveal(table: Table, number: int, head: Head, command: Reveal) -> Decision:
    state = table.s
    round_ = state.round
    seat = state.seats[number]
    if round_ is None or command.round_id != table.round_id or not round_.nonces_until:
        return Refused("NONCE_NOT_DUE")
    if round_.nonces[number]:
        return Again("") if round_.nonces[number] == command.nonce else Refused("NONCE_WRONG")
    if state.phase != "opening":
        return Refused("NONCE_TOO_LATE" if round_.due[number] else "NONCE_NOT_DUE")
    if not round_.due[number] or not seat.link:
        return Refused("NONCE_NOT_DUE")
    if not follows(seat.link, command.nonce):
        return Refused("NONCE_WRONG")
    return Do((e.NonceGiven(*head, command.nonce),))


def _ready(table: Table, number: int, head: Head, command: Ready) -> Decision:
    if table.s.phase != "between":
        return Refused("WRONG_PHASE")
    if table.s.seats[number].ready:
        return Again("")
    return Do((e.ReadySaid(*head),))


def _leave(table: Table, number: int, head: Head, command: Leave) -> Decision:
    return Again("") if table.s.seats[number].left else Do((e.Left(*head),))


def _vote(table: Table, number: int, head: Head, command: Vote) -> Decision:
    state = table.s
    if state.phase == "seating":
        return Refused("WRONG_PHASE")
    if state.seats[number].left:
        return Refused("PLAYER_LEFT")
    if not state.vote_until and (not command.agree or state.is_dissolved):
        return Refused("NO_VOTE")
    if number in state.votes:
        return Again("") if state.votes[number] == command.agree else Refused("ALREADY_VOTED")
    return Do((e.Voted(*head, command.agree),))


def _auto_play(table: Table, number: int, head: Head, command: AutoPlay) -> Decision:
    seat = table.s.seats[number]
    if is_gone(table.s, seat):
        return Refused("PLAYER_LEFT")
    if seat.auto_play == command.on:
        return Again("")
    return Do((e.AutoPlaySet(*head, command.on),))


def _short(table: Table, number: int) -> ShortStake | str:
    """Return what a seat was told of its stake, which is short, or why nothing can be done about it."""
    seat, shown = table.s.seats[number], table.s.board.paused
    if seat.left:
        return "PLAYER_LEFT"
    if seat.adding is not None:
        return "STAKE_PENDING"
    told = shown.short if shown is not None else ()
    return next((one for one in told if one.seat == number), "STAKE_NOT_SHORT")


def _add_stake(table: Table, number: int, head: Head, command: AddStake) -> Decision:
    short = _short(table, number)
    if isinstance(short, str):
        return Refused(short)
    if not short.least <= command.amount <= short.most:
        return Refused("STAKE_AMOUNT_WRONG")
    return Do((e.AddAsked(*head, command.amount),), later=True)


def _decline_stake(table: Table, number: int, head: Head, command: DeclineStake) -> Decision:
    short = _short(table, number)
    return Refused(short) if isinstance(short, str) else Do((e.StakeDeclined(*head),))


def _extend(table: Table, number: int, head: Head, command: Extend) -> Decision:
    seat, question = table.s.seats[number], table.questions[number]
    if seat.left:
        return Refused("PLAYER_LEFT")
    is_asked = (
        question is not None
        and table.s.phase == "playing"
        and question.number == command.question
        and command.round_id == table.round_id
        and question.shown_at <= head[0]
    )
    if question is None or not is_asked or not question.is_turn:
        return Refused("QUESTION_CLOSED")
    if not seat.extensions:
        return Refused("NO_EXTENSION")
    return Do((e.Extended(*head, command.question),))


def _let_watch(table: Table, number: int, head: Head, command: LetWatch) -> Decision:
    state, player = table.s, command.player
    if state.seats[number].left:
        return Refused("PLAYER_LEFT")
    is_in, is_asking = player in state.let_in, player in table.asks
    if command.allow and is_in:
        return Again("")
    if not command.allow and player in table.turned_away and not (is_in or is_asking):
        # Somebody else at the table has said so before.
        return Again("")
    if not (is_in or is_asking):
        return Refused("WATCH_NOT_ASKED")
    if command.allow and len(state.let_in) >= LET_IN_MAX:
        return Refused("WATCHERS_FULL")
    return Do((e.WatchLet(*head, player, command.allow),))


_DECIDES: dict[type[Command], Callable[..., Decision]] = {
    Sit: _sit,
    Reveal: _reveal,
    Ready: _ready,
    Leave: _leave,
    Vote: _vote,
    AutoPlay: _auto_play,
    AddStake: _add_stake,
    DeclineStake: _decline_stake,
    Extend: _extend,
    LetWatch: _let_watch,
}


def _act(table: Table, number: int, command: Act, now: int, durable_version: int) -> Decision:
    if len(command.action) > ACTION_CHARS_MAX:
        return Refused("MESSAGE_TOO_LARGE")
    state = table.s
    seat = state.seats[number]
    if _is_due(table, number, command, now, durable_version):
        return Do((e.Answered(now, number, command.question, command.action, ""),))
    round_no = _round_no(state.table_id, command.round_id)
    if round_no is None or command.question < 1:
        return Refused("INVALID_ARGUMENT", "round_id" if round_no is None else "question")
    try:
        action = table.game.parse_action(command.action)
    except BadNotation:
        return Refused("ACTION_MALFORMED")
    for given in seat.answered:
        if given.question == command.question and given.round_no == round_no:
            is_same = given.by_seat and given.action == action
            return Again("") if is_same else Refused("ALREADY_ANSWERED")
    known = state.round.no if state.round is not None else 0
    if round_no > known or command.question > seat.questions:
        return Behind()
    question = table.questions[number]
    if question is None or question.number != command.question:
        question = table.withdrawn[number]
    if question is None or question.number != command.question:
        return Refused("QUESTION_CLOSED")
    # Before the round: whatever else is wrong, a question that is not shown yet answers like one that does
    # not exist.
    if question.shown_at > now or question.version > durable_version:
        return Behind()
    if round_no != known:
        return Refused("QUESTION_CLOSED")
    if action not in question.actions:
        return Refused("ILLEGAL_ACTION")
    return Do((e.Answered(now, number, command.question, action, ""),))


def _is_due(table: Table, number: int, command: Act, now: int, durable_version: int) -> bool:
    """Say whether a command is a legal answer to the open question, written as it was told: the usual case.

    What is asked cannot have been answered before, so nothing else need be looked at.
    """
    question = table.questions[number]
    return (
        question is not None
        and question.number == command.question
        and question.shown_at <= now
        and question.version <= durable_version
        and command.action in question.actions
        and command.round_id == table.round_id
    )


def _round_no(table_id: str, round_id: str) -> int | None:
    match, _, number = round_id.rpartition("/")
    if match != table_id or not number.isascii() or not number.isdigit() or len(number) > 6:
        return None
    # One round has one name: `/01` is none.
    return int(number) if number[0] != "0" else None

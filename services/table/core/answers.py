"""The round in play: dealing, answers, and what listeners see of what follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine import face
from engine.fair_deal import draw_dealer, wall_order
from services.table.core import frames as f
from services.table.core.beats import EACH, Told, public_texts, split, texts_for, told
from services.table.core.events import Answered, Dealt, Extended
from services.table.core.frames import Beat
from services.table.core.state import ANSWERED_MAX, Given, OpenQuestion, Seat
from services.table.core.turns import can_claim, is_turn

if TYPE_CHECKING:
    from services.table.core.table import Table


def dealt(table: Table, event: Dealt) -> None:
    """Close the nonces and deal."""
    state, round_ = table.s, table.round
    for number in event.missing:
        state.seats[number].link = b""
        table.queue(f.NonceSeen(number, b""))
    deck = table.game.deck()
    if round_.dealer < 0:
        round_.dealer = draw_dealer(round_.seed, table.round_id, round_.nonces)
    round_.started = event.at
    order = wall_order(round_.seed, table.round_id, round_.nonces, len(deck))
    state.phase = "playing"
    wall = [deck[at] for at in order]
    table.position = table.game.deal(table.rules, wall, round_.dealer, round_.draws_in_row)
    _follow(table, None, table.position.opening_events())


def answered(table: Table, event: Answered) -> None:
    """Play an answer, or take one that has become moot."""
    number = event.seat
    seat = table.s.seats[number]
    by_seat = event.cause == ""
    given = Given(event.question, event.action, by_seat, table.round.no)
    seat.answered = [*seat.answered, given][-ANSWERED_MAX:]
    withdrawn = table.withdrawn[number]
    is_moot = withdrawn is not None and withdrawn.number == event.question
    question = withdrawn if is_moot else table.questions[number]
    is_known = question is not None and question.is_turn
    if by_seat and not seat.left:
        seat.auto_play = False
        seat.misses = 0
        # What is seen of misses changes at turns only (`_missed`).
        seat.missed_turns = 0 if is_known else seat.missed_turns
    elif event.cause == "timeout":
        _missed(seat, table.s.spec.misses, is_known)
    if is_moot:
        table.withdrawn[number] = None
        _tell_own(table, number, ())
        return
    assert table.position is not None, "an answer needs a round in play"
    _charge(table, number, event.at)
    table.questions[number] = None
    table.answers.append(event)
    _follow(table, number, table.position.apply(number, event.action))


def _missed(seat: Seat, most: int, is_known: bool) -> None:
    """Count a question that a seat has missed; with so many in a row it is played for until its player acts.

    Of other questions than turns nobody else is told, for it would tell who was asked.
    """
    seat.misses += 1
    if seat.misses >= most:
        seat.auto_play = True
        seat.misses = seat.missed_turns = 0
    elif is_known:
        seat.missed_turns = min(seat.missed_turns + 1, most - 1)


def _charge(table: Table, number: int, at: int) -> None:
    """Take from a seat's time bank what its answer took of it; an outage costs nobody time."""
    question = table.questions[number]
    if question is not None and question.bank_from:
        seat = table.s.seats[number]
        since = max(question.bank_from, table.s.grace_until)
        seat.bank = max(0, seat.bank - max(0, min(at, question.deadline) - since))


def extended(table: Table, event: Extended) -> None:
    """Give a seat more time for its turn, and tell everybody who sees its clock."""
    number, seat = event.seat, table.s.seats[event.seat]
    seat.remember(event.command_id, event.digest, "")
    question = table.questions[number]
    assert question is not None, "a turn is extended while it is asked"
    longer = table.s.spec.extend_ms
    seat.extensions -= 1
    question = replace(
        question,
        deadline=question.deadline + longer,
        bank_from=question.bank_from + longer if question.bank_from else 0,
    )
    table.questions[number] = question
    shared = f.Play(table.round_id, (), None, number, question.deadline)
    bodies: list[f.Body | None] = []
    for at, listener in enumerate(table.s.listeners):
        open_ = table.questions[at] if at < len(table.questions) else None
        if listener is None or open_ is None:
            bodies.append(None if listener is None else shared)
        else:
            own = _told(table, at, open_)
            bodies.append(f.Play(table.round_id, (), own, number, question.deadline))
    table.queue_beat(Beat(event.at, bodies=tuple(bodies), public=shared))


def _follow(table: Table, actor: int | None, followed: Sequence[face.Event]) -> None:
    """Put what has followed into beats, and number the questions it raises."""
    state, position = table.s, table.position
    assert position is not None, "what follows follows in a round"
    events = told(followed)
    at = state.at
    shows_now = not table.pending and state.pause_until <= at
    to_act = position.to_act()
    is_settled = any(public is not None for _, public, _, _ in events) or any(
        table.questions[number] is None for number in to_act
    )
    if actor is not None and events and not (is_settled and shows_now):
        # The actor's own answer shows at once; what has come of it keeps its distance.
        first, public, _, _ = events[0]
        own = first.text_for(actor) if public is None else None
        if own is not None:
            _tell_own(table, actor, (own,))
            events = events[1:]
    if is_settled:
        for number, question in enumerate(table.questions):
            if question is not None:
                table.withdrawn[number] = question
                table.questions[number] = None
    due = _due(table, to_act)
    groups = _grouped(table, events, due)
    times = []
    for group in groups:
        show_at = max(at, state.pause_until) if is_settled else at
        times.append(show_at)
        if any(event[2] for event in group):
            state.pause_until = show_at + state.spec.timing.claim_pause_ms
    asked = _ask(table, due, times[-1])
    last = len(groups) - 1
    for index, group in enumerate(groups):
        beat = _beat(table, group, times[index], asked if index == last else {}, index == 0 and is_settled)
        if any(body is not None for body in beat.bodies):
            table.queue_beat(beat)


Due = tuple[int, tuple[str, ...], bool]
"""A seat to be asked, the question as it is told, and whether everybody knows of it."""


def _due(table: Table, to_act: Sequence[int]) -> list[Due]:
    """Return the questions that are open now and were not before."""
    game, position = table.game, table.position
    made: list[Due] = []
    for number in to_act:
        if table.questions[number] is None:
            told_as = game.question(position, number)
            made.append((number, told_as, is_turn(game.name, told_as)))
    return made


def _grouped(table: Table, events: Sequence[Told], due: Sequence[Due]) -> list[list[Told]]:
    """Return the events in beats; a turn is known to all, so it keeps its distance from a claimable card."""
    groups = split(events) or [[]]
    if not can_claim(table.game.name):
        return groups
    if any(turn for _, _, turn in due):
        last = groups[-1]
        card = max([at for at, event in enumerate(last) if event[2]], default=-1)
        if card >= 0:
            groups[-1:] = [last[: card + 1], last[card + 1 :]]
    return groups


def _ask(table: Table, due: Sequence[Due], shown_at: int) -> dict[int, OpenQuestion]:
    """Number the questions that are due."""
    state, position = table.s, table.position
    assert position is not None
    timing = state.spec.timing
    asked: dict[int, OpenQuestion] = {}
    for number, told_as, turn in due:
        seat = state.seats[number]
        seat.questions += 1
        until = shown_at + (timing.turn_ms if turn else timing.claim_ms)
        # Only what everybody sees may cost time that everybody sees; for who is away nobody waits longer.
        bank = seat.bank if turn and seat.online and not seat.bot else 0
        question = OpenQuestion(
            seat.questions,
            position.legal_actions(number),
            told_as,
            shown_at,
            until + bank,
            turn,
            table.version,
            until if bank else 0,
        )
        table.questions[number] = asked[number] = question
    return asked


def _beat(
    table: Table,
    group: Sequence[Told],
    show_at: int,
    asked: dict[int, OpenQuestion],
    clears: bool,
) -> Beat:
    """Make the bodies of one beat; a listener who sees nothing of it gets none."""
    round_id = table.round_id
    turn, until = next(
        ((seat, question.deadline) for seat, question in asked.items() if question.is_turn), (-1, 0)
    )
    public = public_texts(group)
    readers = {reader for _, _, _, reader in group}
    shared = f.Play(round_id, public, None, turn, until)
    bodies: list[f.Body | None] = []
    last = len(table.s.listeners) - 1
    for number, listener in enumerate(table.s.listeners):
        if listener is None:
            bodies.append(None)
            continue
        if number == last:
            bodies.append(shared if public or turn >= 0 else None)
            continue
        texts = texts_for(group, number) if number in readers or EACH in readers else public
        question = asked.get(number)
        if question is None and texts == public:
            body = shared
        else:
            own = _told(table, number, question) if question else None
            body = f.Play(round_id, texts, own, turn, until)
        is_cleared = clears and table.withdrawn[number] is not None
        needed = texts or question is not None or is_cleared or turn >= 0
        bodies.append(body if needed else None)
    return Beat(show_at, bodies=tuple(bodies), public=shared)


def _told(table: Table, number: int, question: OpenQuestion) -> f.Question:
    """Return a question as its seat is told it."""
    return f.Question(question.number, question.told_as, question.deadline, table.s.seats[number].misses)


def _tell_own(table: Table, number: int, texts: tuple[str, ...]) -> None:
    """Show a seat that its answer has been taken."""
    if table.s.listeners[number] is not None:
        table.tell_one(number, f.Play(table.round_id, texts, None, -1, 0))

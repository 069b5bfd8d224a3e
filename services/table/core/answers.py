"""The round in play: dealing, answers, and what listeners see of what follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine import face
from engine.fair_deal import draw_dealer, wall_order
from services.table.core import frames as f
from services.table.core.beats import Beat, Told, paces, split, told
from services.table.core.events import Answered, Dealt
from services.table.core.state import ANSWERED_MAX, Given, OpenQuestion
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
    if by_seat and not seat.left:
        seat.auto_play = False
    elif event.cause == "timeout":
        seat.auto_play = True
    withdrawn = table.withdrawn[number]
    if withdrawn is not None and withdrawn.number == event.question:
        table.withdrawn[number] = None
        _tell_own(table, number, ())
        return
    assert table.position is not None, "an answer needs a round in play"
    table.questions[number] = None
    table.answers.append(event)
    _follow(table, number, table.position.apply(number, event.action))


def _follow(table: Table, actor: int | None, followed: Sequence[face.Event]) -> None:
    """Put what has followed into beats, and number the questions it raises."""
    state = table.s
    events = told(followed)
    at = state.at
    shows_now = not table.pending and state.pause_until <= at
    assert table.position is not None, "what follows follows in a round"
    is_settled = any(public is not None for _, public in events) or any(
        table.questions[number] is None for number in table.position.to_act()
    )
    if actor is not None and events and not (is_settled and shows_now):
        # The actor's own answer shows at once; what has come of it keeps its distance.
        first, public = events[0]
        own = first.text_for(actor) if public is None else None
        if own is not None:
            _tell_own(table, actor, (own,))
            events = events[1:]
    if is_settled:
        for number, question in enumerate(table.questions):
            if question is not None:
                table.withdrawn[number] = question
                table.questions[number] = None
    groups = _grouped(table, events)
    times = []
    for group in groups:
        show_at = max(at, state.pause_until) if is_settled else at
        times.append(show_at)
        if any(map(paces, group)):
            state.pause_until = show_at + state.spec.timing.claim_pause_ms
    asked = _ask(table, times[-1])
    beats = [
        _beat(table, group, show_at, asked if group is groups[-1] else {}, index == 0 and is_settled)
        for index, (group, show_at) in enumerate(zip(groups, times, strict=True))
    ]
    for beat in beats:
        if any(body is not None for body in beat.bodies):
            table.queue_beat(beat)


def _grouped(table: Table, events: Sequence[Told]) -> list[list[Told]]:
    """Return the events in beats; a turn is known to all, so it keeps its distance from a claimable card."""
    groups = split(events) or [[]]
    position, game = table.position, table.game
    assert position is not None, "what follows follows in a round"
    if not can_claim(game.name):
        return groups
    last = groups[-1]
    is_due = any(
        is_turn(game.name, game.question(position, number))
        for number in position.to_act()
        if table.questions[number] is None
    )
    card = max((at for at, event in enumerate(last) if paces(event)), default=-1)
    if is_due and card >= 0:
        groups[-1:] = [last[: card + 1], last[card + 1 :]]
    return groups


def _ask(table: Table, shown_at: int) -> dict[int, OpenQuestion]:
    """Number the questions that are open now and were not before."""
    state, position = table.s, table.position
    assert position is not None
    timing = state.spec.timing
    asked: dict[int, OpenQuestion] = {}
    for number in position.to_act():
        if table.questions[number] is not None:
            continue
        told_as = table.game.question(position, number)
        seat = state.seats[number]
        seat.questions += 1
        turn = is_turn(table.game.name, told_as)
        question = OpenQuestion(
            seat.questions,
            position.legal_actions(number),
            told_as,
            shown_at,
            shown_at + (timing.turn_ms if turn else timing.claim_ms),
            turn,
            table.version,
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
    public = tuple([text for _, text in group if text is not None])
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
        texts = tuple([text for event, _ in group if (text := event.text_for(number)) is not None])
        question = asked.get(number)
        if question is None and texts == public:
            body = shared
        else:
            own = f.Question(question.number, question.told_as, question.deadline) if question else None
            body = f.Play(round_id, texts, own, turn, until)
        is_cleared = clears and table.withdrawn[number] is not None
        needed = texts or question is not None or is_cleared or turn >= 0
        bodies.append(body if needed else None)
    return Beat(show_at, bodies=tuple(bodies), public=shared)


def _tell_own(table: Table, number: int, texts: tuple[str, ...]) -> None:
    """Show a seat that its answer has been taken."""
    if table.s.listeners[number] is not None:
        table.tell_one(number, f.Play(table.round_id, texts, None, -1, 0))

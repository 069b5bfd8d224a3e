"""The course of a round of 清混碰: who is asked what, and what follows from the answers (rules §2).

A round is a generator: it yields the open questions, is sent one answer, and returns how it ended.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from services.scoring.core.qinghunpeng.melds import Meld, allows_clean
from services.scoring.core.qinghunpeng.table import Ending, Over, Table
from services.scoring.core.qinghunpeng.tiles import KIND, SUIT_KINDS, TEXTS
from services.scoring.core.qinghunpeng.worth import Moment, Win

Questions: TypeAlias = Mapping[int, Sequence[str]]
"""For each asked seat its legal answers, sorted."""
Answer: TypeAlias = tuple[int, str]

PONG = 2
"""Tiles of the hand that a pong takes."""
KONG = 3
"""Tiles of the hand that a 直杠 takes."""


class Turn(NamedTuple):
    """A seat that has to act, and how it came to."""

    seat: int
    came: str
    """`deal`, `head`, `flower` (the head gave a flower), `kong`, or `claim` (吃, 碰)."""
    claimed: int = -1
    """The kind that was claimed."""


def whole_round(table: Table) -> Generator[Questions, Answer, Ending]:
    """Play a dealt round to its end."""
    try:
        replaced = (table.dealer, *table.after(table.dealer))
        for number in replaced if table.options.flowers == "at_deal" else replaced[:1]:
            table.begin(number)
    except Over as over:
        return over.ending
    return (yield from going_on(table, Turn(table.dealer, "deal")))


def going_on(table: Table, turn: Turn) -> Generator[Questions, Answer, Ending]:
    """Play from a seat's turn to the end."""
    try:
        while True:
            turn = yield from _turn(table, turn)
    except Over as over:
        return over.ending


def next_draw(table: Table, number: int) -> Turn:
    """Let a seat draw from the head of the wall."""
    table.begin(number)
    return Turn(number, "flower" if table.draw(number, from_tail=False) else "head")


def _kong_draw(table: Table, number: int) -> Turn:
    table.was_claimed = True
    table.begin(number)
    table.draw(number, from_tail=True)
    return Turn(number, "kong")


def _turn(table: Table, turn: Turn) -> Generator[Questions, Answer, Turn]:
    """Ask a seat for its move and return the turn that follows."""
    seat = table.seats[turn.seat]
    win = None if turn.came == "claim" else table.drawn_win(turn.seat, drawn_moment(table, turn))
    question = own_question(table, turn, can_win=win is not None)
    _, answer = yield {turn.seat: question}
    if answer == "hu":
        assert win is not None
        how = "gangkai" if "杠开" in win.names else "zimo"
        raise Over(Ending(how, {turn.seat: win}, turn.seat, seat.joined))
    tile = KIND[answer.split()[-1]]
    if answer.startswith("gang an"):
        seat.give(tile, 4)
        seat.melds.append(Meld("an", tile, turn.seat))
        return _kong_draw(table, turn.seat)
    if answer.startswith("gang bu"):
        seat.give(tile)
        yield from _robbing(table, turn.seat, tile)
        at = next(place for place, meld in enumerate(seat.melds) if meld[:2] == ("peng", tile))
        seat.melds[at] = seat.melds[at]._replace(form="bu")
        return _kong_draw(table, turn.seat)
    if win is not None:
        _bar(table, turn.seat, tile)
    seat.give(tile)
    seat.discards += 1
    return (yield from _claim(table, turn.seat, tile))


def drawn_moment(table: Table, turn: Turn) -> Moment:
    """Return what there is to say of a seat's own draw."""
    seat = table.seats[turn.seat]
    is_first_go = not seat.discards and not (table.was_claimed and table.options.dihu_broken_by_claims)
    return Moment(
        by="self",
        after_kong=turn.came == "kong",
        flowered=turn.came == "flower",
        heaven=turn.came == "deal",
        earth=turn.seat != table.dealer and turn.came in ("head", "flower") and is_first_go,
        last=table.free <= 0,
        times=table.times,
    )


def given_moment(table: Table, number: int, giver: int, *, is_robbed: bool) -> Moment:
    """Return what there is to say of a tile that another seat gives."""
    if is_robbed:
        return Moment(by="robbed", times=table.times)
    is_first_go = not (table.was_claimed and table.options.dihu_broken_by_claims)
    fresh = not table.seats[number].discards and table.seats[giver].discards == 1
    return Moment(
        by="discard",
        earth=number != table.dealer and fresh and is_first_go,
        last=table.free <= 0,
        times=table.times,
    )


def own_question(table: Table, turn: Turn, *, can_win: bool) -> tuple[str, ...]:
    """Return what a seat may do in its own turn."""
    seat = table.seats[turn.seat]
    held = [kind for kind, copies in enumerate(seat.hand) if copies]
    may_go = held
    if table.options.no_swap and turn.came == "claim" and held != [turn.claimed]:
        may_go = [kind for kind in held if kind != turn.claimed]
    answers = [f"discard {TEXTS[kind]}" for kind in may_go]
    if table.free > 0:
        four = [kind for kind in held if seat.hand[kind] == 4]
        answers += [f"gang an {TEXTS[kind]}" for kind in four if _allowed(table, turn.seat, "an", kind)]
        added = [meld.tile for meld in seat.melds if meld.form == "peng" and seat.hand[meld.tile]]
        answers += sorted(f"gang bu {TEXTS[kind]}" for kind in added)
    return (*answers, "hu") if can_win else tuple(answers)


def claim_question(
    table: Table, number: int, giver: int, tile: int, *, can_win: bool, is_robbed: bool = False
) -> tuple[str, ...]:
    """Return what a seat may do with another's tile; empty if it can only pass."""
    answers = ["hu"] if can_win else []
    hand = table.seats[number].hand
    if table.free > 0 and not is_robbed:
        if hand[tile] >= KONG and _allowed(table, number, "ming", tile):
            answers.append(f"gang ming {TEXTS[tile]}")
        if hand[tile] >= PONG and _allowed(table, number, "peng", tile):
            answers.append("peng")
        if number == table.after(giver)[0]:
            answers += [
                f"chi {TEXTS[low]}" for low in _runs_with(hand, tile) if _allowed(table, number, "chi", low)
            ]
    return tuple(sorted([*answers, "pass"])) if answers else ()


def _runs_with(hand: Sequence[int], tile: int) -> list[int]:
    """Return the lowest tiles of the runs that a tile makes with two of a hand."""
    if tile >= SUIT_KINDS:
        return []
    first, last = max(tile - 2, tile - tile % 9), min(tile, tile - tile % 9 + 6)
    return [
        low
        for low in range(first, last + 1)
        if all(hand[kind] for kind in range(low, low + 3) if kind != tile)
    ]


def _allowed(table: Table, number: int, form: str, tile: int) -> bool:
    """Say whether the lock lets a seat lay a meld."""
    return not table.options.claim_lock or allows_clean([*table.seats[number].melds, Meld(form, tile)])


def _bar(table: Table, number: int, tile: int) -> None:
    if table.options.guo_hu == "same_tile":
        table.seats[number].barred.add(tile)


def _given(
    table: Table, giver: int, tile: int, *, is_robbed: bool
) -> tuple[dict[int, Win], dict[int, tuple[str, ...]]]:
    """Return who could win a given tile, and everybody's question about it."""
    wins, questions = {}, {}
    for number in table.after(giver):
        moment = given_moment(table, number, giver, is_robbed=is_robbed)
        win = table.given_win(number, tile, moment)
        if win is not None:
            wins[number] = win
        question = claim_question(table, number, giver, tile, can_win=win is not None, is_robbed=is_robbed)
        if question:
            questions[number] = question
    return wins, questions


def _robbing(table: Table, giver: int, tile: int) -> Generator[Questions, Answer, None]:
    """Offer the tile of a 补杠 to whoever can win it; it stands if this returns."""
    wins, questions = _given(table, giver, tile, is_robbed=True)
    yield from _settled(table, giver, tile, wins, questions, "qianggang")


def _claim(table: Table, giver: int, tile: int) -> Generator[Questions, Answer, Turn]:
    """Offer a discard to the others and return the turn that follows."""
    wins, questions = _given(table, giver, tile, is_robbed=False)
    number, answer = yield from _settled(table, giver, tile, wins, questions, "discard")
    if answer == "pass":
        return next_draw(table, table.after(giver)[0])
    taker = table.seats[number]
    table.was_claimed = True
    if answer.startswith("gang"):
        taker.give(tile, KONG)
        taker.melds.append(Meld("ming", tile, giver))
        return _kong_draw(table, number)
    if answer == "peng":
        taker.give(tile, PONG)
        taker.melds.append(Meld("peng", tile, giver))
    else:
        run = Meld("chi", KIND[answer.split()[-1]], giver)
        for kind in run.kinds:
            taker.give(kind, int(kind != tile))
        taker.melds.append(run)
    table.begin(number)
    return Turn(number, "claim", tile)


def _settled(
    table: Table,
    giver: int,
    tile: int,
    wins: Mapping[int, Win],
    questions: Mapping[int, Sequence[str]],
    how: str,
) -> Generator[Questions, Answer, Answer]:
    """Collect answers until none that is missing could change what happens, and return who takes the tile.

    Nobody does if the answer is `pass`.

    Raises:
        Over: It was won.
    """
    said: dict[int, str] = {}
    while True:
        missing = {number: question for number, question in questions.items() if number not in said}
        taken = _verdict(table, giver, wins, questions, said)
        if taken is None:
            number, answer = yield missing
            said[number] = answer
            if number in wins and answer != "hu":
                _bar(table, number, tile)
            continue
        winners, claim = taken
        if winners:
            raise Over(Ending(how, {number: wins[number] for number in sorted(winners)}, giver, tile))
        return claim


def _verdict(
    table: Table,
    giver: int,
    wins: Mapping[int, Win],
    questions: Mapping[int, Sequence[str]],
    said: Mapping[int, str],
) -> tuple[list[int], Answer] | None:
    """Return the winners and, without any, who claims; None while somebody must answer first."""
    nobody = (-1, "pass")
    winners = []
    for number in table.after(giver):
        if number not in wins:
            continue
        if number not in said:
            return None
        if said[number] == "hu":
            winners.append(number)
            if table.options.head_bump:
                break
    if winners:
        return winners, nobody
    # Only one seat can hold two of a tile of which one lies there, so pong and kong never compete.
    for words in (("gang", "peng"), ("chi",)):
        for number, question in questions.items():
            if any(answer.startswith(words) for answer in question):
                if number not in said:
                    return None
                if said[number].startswith(words):
                    return [], (number, said[number])
    return [], nobody

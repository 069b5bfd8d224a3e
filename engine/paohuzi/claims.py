"""Claims on a shown card: who is asked what, and how the answers are resolved (Rules 5 to 8).

A question depends only on what its seat can know. The resolution walks the offers in the order of Rule 5,
at once and after every answer; marks are written only for the offers it reached (Rule 7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.face import Action
from engine.paohuzi.actions import HU, HU_OR_PASS, PASS, PENG
from engine.paohuzi.cards import CARD_TEXTS, ONE
from engine.paohuzi.eating import chi_melds, eats, loose_count
from engine.paohuzi.hu import Laid, shown_huxi
from engine.paohuzi.scoring import best_hu

if TYPE_CHECKING:
    from engine.paohuzi.position import Position

STOP = -1


def open_liang(position: Position, order: tuple[int, ...]) -> int:
    """Offer the 亮张 (Rule 4.2); return the seat that draws next, or STOP."""
    card = position.open_card
    position.open_kind, position.open_seat = "liang", position.dealer
    position.pao_seat = position.peng_seat = -1
    position.chi_seats = ()
    position.answers = [None, None, None]
    for seat in (0, 1, 2):
        total = -1
        if seat in order and not position.filler[seat]:
            total = offered_total(
                position, seat, card, "liang_dealer" if seat == position.dealer else "liang_other"
            )
        position.hu_totals[seat] = total
        if total >= 0:
            position.ask(seat, HU_OR_PASS)
    return walk(position)


def open_claim(position: Position, source: int, card: int, kind: str) -> int:
    """Offer a shown card to all who can answer; return the seat that draws next, or STOP.

    The resolution runs at once and after every answer: a 跑 that no 胡 can precede is settled before anybody
    is asked. Beside an open 胡 a seat is asked as if no other hand hid a 跑: its question tells nothing.

    Args:
        position: The round; the card is in no hand any more.
        source: The drawer or the discarder.
        card: The card.
        kind: ``draw`` or ``discard``.
    """
    rules = position.rules
    drawn = kind == "draw"
    following = (source + 1) % 3
    position.open_kind, position.open_seat, position.open_card = kind, source, card
    position.answers = [None, None, None]
    totals = [-1, -1, -1]
    pao = peng = -1
    open_pao = 0
    bit = 1 << card
    shift = 3 * card
    for seat in (0, 1, 2):
        other = seat != source
        if drawn and position.pengs[seat] & bit:
            pao = seat
            open_pao = 1 << seat
        elif other and (position.hands[seat] >> shift & 7 == 3 or position.weis[seat] & bit):
            pao = seat
            if position.chouweis[seat] & bit:
                open_pao = 1 << seat
        if (drawn or (other and rules.discard_hu)) and not position.dead[seat] and not position.filler[seat]:
            quick = shown_huxi(
                position.hands[seat],
                card,
                position.held[seat],
                position.quads[seat],
                position.table_xi[seat],
                position.pengs[seat] if drawn else 0,
                position.weis[seat],
                rules.po_pao_hu,
            )
            if quick >= rules.min_xi:
                how = ("other" if other else "self") if drawn else "discard"
                totals[seat] = offered_total(position, seat, card, how)
    position.hu_totals = totals
    chi_seats: list[int] = []
    is_decided = pao >= 0 and max(totals) < 0
    for seat in () if is_decided else (source, following, (source + 2) % 3):
        actions: list[Action] = [HU] if totals[seat] >= 0 else []
        if seat != pao and not open_pao & ~(1 << seat) and not position.dead[seat]:
            if seat != source and position.hands[seat] >> shift & 7 == 2 and may_peng(position, seat, card):
                actions.append(PENG)
                peng = seat
            if (seat == source and drawn) or seat == following:
                ways = may_chi(position, seat, card)
                if ways:
                    actions += [text for _, text in ways]
                    chi_seats.append(seat)
        if actions:
            actions.append(PASS)
            actions.sort()
            position.ask(seat, tuple(actions))
    position.pao_seat, position.peng_seat, position.chi_seats = pao, peng, tuple(chi_seats)
    return walk(position)


def may_peng(position: Position, seat: int, card: int) -> bool:
    """Return whether a seat holding two of the card may 碰 (Rules 7 and 9)."""
    rules = position.rules
    marks = position.peng_dead[seat]
    if rules.own_discard_dead:
        marks |= position.own_dead[seat]
    if rules.dead_peng_blocks_chi:
        marks |= position.chi_dead[seat]
    if marks >> card & 1:
        return False
    return not needs_loose(position, seat) or loose_count(position.hands[seat]) + position.filler[seat] > 2


def may_chi(position: Position, seat: int, card: int) -> tuple[tuple[tuple[tuple[int, ...], ...], str], ...]:
    """Return the ways a seat may eat the card, marks and the due discard considered (Rules 6, 7 and 9)."""
    rules = position.rules
    marks = position.chi_dead[seat]
    if rules.own_discard_dead:
        marks |= position.own_dead[seat]
    if rules.dead_peng_blocks_chi:
        marks |= position.peng_dead[seat]
    if marks >> card & 1:
        return ()
    return eats(position.hands[seat], card, needs_loose(position, seat), position.filler[seat])


def needs_loose(position: Position, seat: int) -> bool:
    """Return whether a claim of the seat must leave a loose card for the discard that it makes due."""
    return position.rules.forbid_claim_without_discard and position.owes(seat, 1)


def offered_total(position: Position, seat: int, card: int, source: str) -> int:
    """Return what the seat would win with, or -1 if it cannot or 臭胡 bars it (Rule 8)."""
    last = position.last and source in ("self", "other", "made")
    win = best_hu(position.rules, position.hands[seat], position.melds[seat], card, source, last)
    if win is None:
        return -1
    rule = position.rules.chou_hu
    if rule != "off":
        key = win.xi if rule == "win_xi" else position.table_xi[seat]
        if position.passed_hu[seat].get(card) == key:
            return -1
    return win.xi


def remember_passed_hu(position: Position, seat: int, card: int) -> None:
    """Write the 臭胡 record of a declined 胡 (Rule 8)."""
    rule = position.rules.chou_hu
    if rule != "off":
        key = position.hu_totals[seat] if rule == "win_xi" else position.table_xi[seat]
        position.passed_hu[seat][card] = key
        position.emit("mark", seat, "hu", CARD_TEXTS[card], key)


def walk(position: Position) -> int:
    """Resolve the open claim as far as the answers go; return the seat that draws next, or STOP."""
    answers, source = position.answers, position.open_seat
    kind = position.open_kind
    reached: list[tuple[str, int]] = []
    order = (source, (source + 1) % 3, (source + 2) % 3)
    for seat in order:
        if position.hu_totals[seat] >= 0:
            if answers[seat] is None:
                return STOP
            reached.append((HU, seat))
            if answers[seat] == HU:
                settle(position, reached, seat)
                return take_hu(position, seat)
    if position.pao_seat >= 0:
        settle(position, reached, -1)
        return take_pao(position, position.pao_seat)
    seat = position.peng_seat
    if seat >= 0:
        if answers[seat] is None:
            return STOP
        reached.append((PENG, seat))
        if answers[seat] == PENG:
            settle(position, reached, seat)
            return take_peng(position, seat)
    for seat in position.chi_seats:
        answer = answers[seat]
        if answer is None:
            return STOP
        reached.append(("chi", seat))
        if answer.startswith("chi"):
            settle(position, reached, seat)
            return take_chi(position, seat, answer)
    settle(position, reached, -1)
    if kind == "liang":
        return position.after_liang()
    card = position.open_card
    position.rivers[source].append(card)
    position.shown = None
    position.emit("river", source, CARD_TEXTS[card])
    position.note(f"river@{source}")
    return (source + 1) % 3


def settle(position: Position, reached: list[tuple[str, int]], taker: int) -> None:
    """Withdraw what is open and write the marks of the offers reached and not taken (Rule 7)."""
    asked = position.asked
    for seat in (0, 1, 2):
        if asked[seat] is not None:
            asked[seat] = None
            position.emit("withdrawn", seat)
    card = position.open_card
    bit = 1 << card
    for offer, seat in reached:
        if offer == HU:
            position.note(f"hu?@{seat}:{position.hu_totals[seat]}")
            if position.answers[seat] != HU:
                remember_passed_hu(position, seat, card)
            continue
        position.note(f"{offer}?@{seat}")
        if seat == taker:
            continue
        marks = position.peng_dead if offer == PENG else position.chi_dead
        if not marks[seat] & bit:
            marks[seat] |= bit
            position.emit("mark", seat, offer, CARD_TEXTS[card])


def take_hu(position: Position, seat: int) -> int:
    """Let a seat win the open card."""
    source, card, kind = position.open_seat, position.open_card, position.open_kind
    if kind == "liang":
        how, form = "liang", "liang_dealer" if seat == source else "liang_other"
    elif kind == "discard":
        how, form = "discard", "discard"
    else:
        how, form = ("zimo", "self") if seat == source else ("wall", "other")
    last = kind == "draw" and position.last
    win = best_hu(position.rules, position.hands[seat], position.melds[seat], card, form, last)
    position.note(f"win@{seat}")
    position.win(seat, how, source, card, win)
    return STOP


def take_pao(position: Position, seat: int) -> int:
    """Run the open card (跑): forced, from 坎, 偎, 臭偎 or 碰."""
    card = position.open_card
    position.held[seat] += 1
    position.turn = seat
    position.shown = None
    quad = Laid("pao", (card,) * 4)
    if position.hands[seat] >> (3 * card) & 7 == 3:
        position.hands[seat] -= 3 * ONE[card]
        position.lay(seat, quad)
        position.emit("pao", seat, CARD_TEXTS[card], "kan")
    else:
        base = "peng" if position.pengs[seat] >> card & 1 else "wei"
        at = position.upgrade(seat, card, quad)
        position.emit("pao", seat, CARD_TEXTS[card], base, at)
    position.note(f"pao!@{seat}")
    return position.after(seat)


def take_peng(position: Position, seat: int) -> int:
    """Take the open card with the pair in hand."""
    card = position.open_card
    position.hands[seat] -= 2 * ONE[card]
    position.held[seat] += 1
    position.turn = seat
    position.shown = None
    position.lay(seat, Laid("peng", (card,) * 3))
    position.emit("peng", seat, CARD_TEXTS[card])
    return position.after(seat)


def take_chi(position: Position, seat: int, action: Action) -> int:
    """Eat the open card with all melds of the action."""
    card = position.open_card
    position.held[seat] += 1
    position.turn = seat
    position.shown = None
    position.hands[seat] += ONE[card]
    for meld in chi_melds(action):
        for at in meld:
            position.hands[seat] -= ONE[at]
        position.lay(seat, Laid("chi", meld))
    position.emit("chi", seat, *action.split(" ")[1:])
    return position.after(seat)

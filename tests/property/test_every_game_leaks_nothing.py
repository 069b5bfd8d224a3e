"""Two positions that differ only in what a seat cannot know look the same to it, in every way.

A round is played, then dealt again with hidden cards exchanged, and played again with the same answers.
What the rules show a seat is its *skeleton*: its own cards, the cards shown to all, who claimed what. As
long as two skeletons are the same, so must be what the seat is asked and told; where both rounds stand at
the same point, its view, its legal answers and what it is refused must be the same as well.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from engine import GAMES
from engine.doudizhu import position as doudizhu_position
from engine.errors import ActionRefused
from engine.kawuxing import events as kawuxing_events
from engine.kawuxing import winning
from engine.paohuzi import claims, events
from engine.qinghunpeng import events as qinghunpeng_events
from engine.qinghunpeng import winning as qinghunpeng_winning
from tests.property.engine_playouts import CASES, REFUSED, Playout, choose, deal

ROUNDS = 12
EXCHANGES = 14
"""Tries to exchange hidden cards, for each seat and moment."""


PRIVATE = ("ask", "answer", "withdrawn", "mark")


def paohuzi_skeleton(text: str, reader: int | None) -> str | None:
    """Return what the rules of 跑胡子 show a reader: all but another's 偎; `None` for what is private."""
    kind, seat, *_ = text.split(" ")
    if kind in PRIVATE:
        return None
    return f"wei {seat}" if kind == "wei" and seat != str(reader) else text


def doudizhu_skeleton(text: str, reader: int | None) -> str | None:
    """Return what the rules of 斗地主 show a reader: all that is said and played; `None` if private."""
    return None if text.split(" ")[0] in ("ask", "answer") else text


def kawuxing_skeleton(text: str, reader: int | None) -> str | None:
    """Return what the rules of 卡五星 show a reader: all but others' hands, draws and 扣 triplets."""
    kind, seat, *words = text.split(" ")
    if kind in PRIVATE:
        return None
    if kind == "deal":
        return f"deal {seat} {words[reader] if reader is not None else ''}"
    if kind == "draw" and seat != str(reader):
        return f"draw {seat}"
    if kind == "liang" and seat != str(reader):
        shown, hidden, waits = words
        number = 0 if hidden == "-" else int(hidden[1:]) if hidden[0] == "?" else len(hidden) // 2
        return f"liang {seat} {shown} {number} {waits}"
    return text


def qinghunpeng_skeleton(text: str, reader: int | None) -> str | None:
    """Return what the rules of 清混碰 show a reader: all but others' hands and draws."""
    kind, seat, *words = text.split(" ")
    if kind in PRIVATE:
        return None
    if kind == "deal":
        return f"deal {seat} {words[reader] if reader is not None else ''}"
    if kind in ("draw", "supply") and seat != str(reader):
        return " ".join([kind, seat, *words[1:]])
    return text


SKELETONS: dict[str, Callable[[str, int | None], str | None]] = {
    "paohuzi": paohuzi_skeleton,
    "doudizhu": doudizhu_skeleton,
    "kawuxing": kawuxing_skeleton,
    "qinghunpeng": qinghunpeng_skeleton,
}
"""A game without an entry fails: what it may show must be said apart from its own events."""


def again(
    playout: Playout, asked: Sequence[tuple[int, ...]], wall: list[str], seat: int | None
) -> tuple[Playout, bool]:
    """Play the same answers on another deal, as far as they go, and say whether they went to the end.

    Seats other than the observer pass where they are asked more, and stay silent where they are asked less.
    """
    position = playout.game.deal(playout.rules, wall, playout.dealer, playout.draws_in_row)
    other = Playout(playout.game, playout.rules, wall, playout.dealer, position)
    other.tell(position.opening_events())
    script: list[tuple[int, str] | None] = [*playout.actions, None]
    for now, step in zip(asked, script, strict=True):
        for extra in position.to_act():
            if extra not in now and extra != seat:
                if "pass" not in position.legal_actions(extra):
                    return other, False
                other.play(extra, "pass")
        if step is None:
            break
        actor, action = step
        legal = position.legal_actions(actor)
        if action in legal:
            other.play(actor, action)
        elif legal or actor == seat:
            return other, False
    return other, True


def segments(playout: Playout, reader: int | None) -> list[tuple[str, list[str]]]:
    """Return each event the rules show, with what its seat alone was told before the next one."""
    parts: list[tuple[str, list[str]]] = []
    for text in playout.told[reader]:
        shown = SKELETONS[playout.game.name](text, reader)
        if shown is None:
            parts[-1][1].append(text)
        else:
            parts.append((shown, []))
    return parts


def claims_in(told: Sequence[str]) -> list[str]:
    return [text for text in told if (text.startswith("ask") and text.endswith(" pass")) or " pass |" in text]


def assert_told_alike(one: Sequence[tuple[str, list[str]]], two: Sequence[tuple[str, list[str]]]) -> bool:
    """Compare what was told while the skeletons agree; return whether they agree to the end of both.

    What can be answered with a pass is asked as soon as its card is shown, so it must agree even where the
    rounds part next; only a 跑 that follows at once, for all to see, may have left nobody to be asked.
    """
    for at, ((shown, told), (shown_too, told_too)) in enumerate(zip(one, two, strict=False)):
        if shown != shown_too:
            return False
        if not any(rest[at + 1 : at + 2] and rest[at + 1][0].startswith("pao") for rest in (one, two)):
            assert claims_in(told) == claims_in(told_too)
        if at + 1 < min(len(one), len(two)) and one[at + 1][0] == two[at + 1][0]:
            assert one[at + 1][0].startswith("pao") or told == told_too
    return len(one) == len(two)


def exchanged(playout: Playout, wall: list[str], rng: random.Random) -> list[str]:
    """Return the wall with two places, or two kinds of cards, exchanged."""
    new = list(wall)
    if rng.random() < 0.5:
        one, two = rng.sample(range(len(new)), 2)
        new[one], new[two] = new[two], new[one]
        return new
    kinds = sorted(set(new))
    one_kind = rng.choice(kinds)
    # Kinds that are as many, or the deck would be another one.
    two_kind = rng.choice([kind for kind in kinds if new.count(kind) == new.count(one_kind)])
    swap = {one_kind: two_kind, two_kind: one_kind}
    return [swap.get(card, card) for card in new]


def refusals(position: Any, seat: int | None) -> list[str]:
    """Return what a seat is answered to things it may not do; a spectator may do nothing."""
    answers = []
    for action in ("nonsense", "hu", "peng", "pass", "chi s1s2s3", "discard s1", "discard b10"):
        if seat is None or action not in position.legal_actions(seat):
            with pytest.raises(REFUSED if seat is None else ActionRefused) as refused:
                position.clone().apply(seat, action)
            answers.append(f"{refused.type}: {refused.value}")
    return answers


def shown_to(playout: Playout, seat: int | None) -> list[str]:
    """Return what a seat was told of what all can see, to the letter."""
    skeleton = SKELETONS[playout.game.name]
    return [text for text in playout.told[seat] if skeleton(text, seat) is not None]


def assert_same_for(playout: Playout, other: Playout, seat: int | None) -> None:
    assert shown_to(other, seat) == shown_to(playout, seat)
    assert other.position.view(seat) == playout.position.view(seat)
    if seat is not None:
        assert other.position.legal_actions(seat) == playout.position.legal_actions(seat)
    assert refusals(other.position, seat) == refusals(playout.position, seat)


def stopped(playout: Playout, rng: random.Random, length: int) -> tuple[Playout, list[tuple[int, ...]]]:
    """Play so many answers, or to the end; return the round and who was asked at each step."""
    asked = []
    while playout.position.outcome() is None and len(playout.actions) < length:
        asked.append(playout.position.to_act())
        playout.play(*choose(playout, rng, 0.5))
    asked.append(playout.position.to_act())
    return playout, asked


def search(name: str, preset: str, rounds: int, overrides: dict[str, Any] | None = None) -> int:
    """Compare as many indistinguishable positions as are found; return how many really differed."""
    compared = 0
    for number in range(rounds):
        rng = random.Random(f"leak {name} {preset} {number}")
        state, length = rng.getstate(), rng.randrange(45)
        playout, asked = stopped(deal(name, preset, rng, overrides), rng, length)
        if playout.position.outcome() is not None and playout.actions:
            # It was over before: the same round again, to somewhere in the middle.
            rng.setstate(state)
            length = rng.randrange(45) % len(playout.actions)
            playout, asked = stopped(deal(name, preset, rng, overrides), rng, length)
        if playout.position.outcome() is not None:
            continue
        for seat in playout.readers:
            wall = playout.wall
            for _ in range(EXCHANGES):
                new = exchanged(playout, wall, rng)
                other, whole = again(playout, asked, new, seat)
                alike = assert_told_alike(segments(playout, seat), segments(other, seat))
                if whole and alike:
                    assert_same_for(playout, other, seat)
                    compared += new != playout.wall
                    wall = new
    return compared


@pytest.mark.parametrize(("name", "preset"), CASES)
def test_what_a_seat_cannot_know_changes_nothing_for_it(name: str, preset: str) -> None:
    assert search(name, preset, ROUNDS) > ROUNDS


def test_the_options_that_change_questions_leak_nothing_either() -> None:
    overrides = {
        "discard_hu": True,
        "forbid_claim_without_discard": False,
        "santi_wukan": "off",
        "opening_ti_show_one": False,
        "chou_hu": "table_xi",
    }
    assert search("paohuzi", "luzhou-10xi", 2 * ROUNDS, overrides) > ROUNDS


def test_every_game_says_what_it_may_show() -> None:
    assert set(SKELETONS) == set(GAMES)


@pytest.mark.plants
def test_a_wei_that_shows_its_card_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = events._public

    def leaky(kind: str, seat: int, data: tuple[object, ...], reader: int | None) -> str:
        return f"wei {seat} {data[0]}" if kind == "wei" else honest(kind, seat, data, reader)

    monkeypatch.setattr(events, "_public", leaky)
    with pytest.raises(AssertionError):
        search("paohuzi", "876cc", 60)


@pytest.mark.plants
def test_a_question_that_depends_on_another_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = claims.may_chi

    def leaky(position: Any, seat: int, card: int) -> Any:
        hidden = any(position.hands[other] >> (3 * card) & 7 == 1 for other in range(3) if other != seat)
        return () if hidden else honest(position, seat, card)

    monkeypatch.setattr(claims, "may_chi", leaky)
    with pytest.raises(AssertionError):
        search("paohuzi", "876cc", 60)


@pytest.mark.plants
def test_plays_that_depend_on_another_hand_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = doudizhu_position.plays_of

    def leaky(state: Any, seat: int) -> Any:
        plays = honest(state, seat)
        return plays[: max(1, len(plays) - state.hands[(seat + 1) % 3] % 7 % 2)]

    monkeypatch.setattr(doudizhu_position, "plays_of", leaky)
    with pytest.raises(AssertionError):
        search("doudizhu", "classic", 60)


def test_doubling_and_a_shown_card_leak_nothing_either() -> None:
    overrides = {"double": "on", "face_up": True, "bid_rounds": "until2pass", "first_speaker": "rotate"}
    assert search("doudizhu", "classic", 2 * ROUNDS, overrides) > ROUNDS


def test_claims_and_reveals_under_other_options_leak_nothing_either() -> None:
    overrides = {"reveal_auto_hu": False, "ban_feeding": True, "guo_hu": "same_tile", "claim_last": "hu_pong"}
    assert search("kawuxing", "seed004", 2 * ROUNDS, overrides) > ROUNDS


@pytest.mark.plants
def test_a_draw_that_shows_its_tile_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = kawuxing_events._WRITERS["draw"]

    def leaky(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
        return honest(data, True, reader)

    monkeypatch.setitem(kawuxing_events._WRITERS, "draw", leaky)
    with pytest.raises(AssertionError):
        search("kawuxing", "seed004", 60)


@pytest.mark.plants
def test_a_question_that_depends_on_the_wall_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = winning.may_claim_hu

    def leaky(position: Any, seat: int, tile: int, source: int) -> bool:
        wall = position.wall[position.at : position.at + 1]
        return honest(position, seat, tile, source) or bool(wall and wall[0] % 3 == 0 and seat == 1)

    monkeypatch.setattr("engine.kawuxing.claims.may_claim_hu", leaky)
    with pytest.raises(AssertionError):
        search("kawuxing", "seed004", 60)


@pytest.mark.parametrize(
    "overrides",
    [
        {"claim_lock": True, "guo_hu": "same_tile", "head_bump": True, "bahua": "anytime", "min_ron": 3},
        {"flowers": "lazy", "no_swap": True, "dead_wall": 40, "dihu_broken_by_claims": False},
    ],
)
def test_flowers_and_claims_under_other_options_leak_nothing_either(overrides: dict[str, Any]) -> None:
    assert search("qinghunpeng", "seed000", 2 * ROUNDS, overrides) > ROUNDS


@pytest.mark.plants
@pytest.mark.parametrize("kind", ["draw", "supply"])
def test_a_hidden_tile_that_is_shown_is_found(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    honest = qinghunpeng_events._WRITERS[kind]

    def leaky(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
        return honest(data, True, reader)

    monkeypatch.setitem(qinghunpeng_events._WRITERS, kind, leaky)
    with pytest.raises(AssertionError):
        search("qinghunpeng", "seed000", 60)


@pytest.mark.plants
def test_a_deal_that_shows_how_many_flowers_are_held_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = qinghunpeng_events._WRITERS["deal"]

    def leaky(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
        words = honest(data, own, reader)
        return tuple([f"{word}-{len(kept)}" for word, (_, kept) in zip(words, data, strict=True)])

    monkeypatch.setitem(qinghunpeng_events._WRITERS, "deal", leaky)
    with pytest.raises(AssertionError):
        search("qinghunpeng", "shanghai", 60)


@pytest.mark.plants
def test_a_claim_that_depends_on_the_wall_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = qinghunpeng_winning.may_claim_hu

    def leaky(position: Any, seat: int, tile: int) -> bool:
        wall = position.wall[position.at : position.at + 1]
        return honest(position, seat, tile) or bool(wall and wall[0] % 3 == 0 and seat == 1)

    monkeypatch.setattr("engine.qinghunpeng.claims.may_claim_hu", leaky)
    with pytest.raises(AssertionError):
        search("qinghunpeng", "seed000", 60)

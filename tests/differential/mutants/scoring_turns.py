"""Mutants of scoring in the course of a round: the deal, the turn machine, claims, marks, succession."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.mutants.planting import Mutant

CHEAP: Final = {"min_xi": 3, "deng_first": 3}
DEAL, EATING, PLAY, TABLE = "deal.py", "eating.py", "play.py", "table.py"
DRAW, DISCARDED, TAKE = "def draw(", "def discarded(", "def _take("


def _mutant(name: str, rule: str, file: str, old: str, new: str, anchor: str = "", **more: Any) -> Mutant:
    return Mutant(name, rule, file, old, new, anchor, **more)


FAIR_DEAL: Final = (
    _mutant("the commitment leaves the round out", "fair deal", DEAL, "COMMIT_LABEL + lp(round_id.encode()) + _secret", "COMMIT_LABEL + _secret"),
    _mutant("nonces are mixed in from the last seat", "fair deal", DEAL, "for nonce in nonces)\n    return hmac", "for nonce in nonces[::-1])\n    return hmac"),
    _mutant("the first dealer is drawn like the wall", "fair deal", DEAL, 'DEALER_LABEL: Final = b"paiju-dealer-1"', 'DEALER_LABEL: Final = b"paiju-deal-1"'),
    _mutant("the shuffle leaves the last place alone", "fair deal", DEAL, "range(cards - 1, 0, -1)", "range(cards - 2, 0, -1)"),
    _mutant("blocks are counted from one", "fair deal", DEAL, "    counter = 0\n", "    counter = 1\n"),
    _mutant("the previous seat is dealt second", "§1", TABLE, "seats[(dealer + step) % SEATS].hand", "seats[(dealer + 2 * step) % SEATS].hand"),
    _mutant("the first card of the wall is never drawn", "§1", TABLE, "wall[OTHER_CARDS * SEATS + 1 :]", "wall[OTHER_CARDS * SEATS + 2 :]"),
    _mutant("the 亮张 goes to the next seat", "§1", TABLE, "seats[dealer].hand[liang] += 1", "seats[(dealer + 1) % SEATS].hand[liang] += 1"),
)  # fmt: skip

OPENING: Final = (
    _mutant("三提五坎 is looked for from the previous seat", "§4", PLAY, "        for seat in order:\n            win = santi_win", "        for seat in order[::-1]:\n            win = santi_win", rig="santi"),
    _mutant("三提五坎 wins though switched off", "§12", PLAY, 'if table.options.santi_wukan == "auto":', "if True:", options={"santi_wukan": "off"}, rig="santi"),
    _mutant("三提五坎 never wins", "§4", PLAY, 'if table.options.santi_wukan == "auto":', "if False:", rig="santi"),
    _mutant("nobody may win the 亮张", "§4", PLAY, 'table.options.liangzhang_hu != "off"', "False", options=CHEAP, rig="ready"),
    _mutant("the 亮张 may be won though switched off", "§12", PLAY, 'table.options.liangzhang_hu != "off"', "True", options={**CHEAP, "liangzhang_hu": "off"}, rig="ready"),
    _mutant("all may win the 亮张 though only the dealer should", "§12", PLAY, 'order if table.options.liangzhang_hu == "all" else order[:1]', "order", options={**CHEAP, "liangzhang_hu": "dealer"}, rig="ready"),
    _mutant("only the dealer may win the 亮张", "§4", PLAY, 'order if table.options.liangzhang_hu == "all" else order[:1]', "order[:1]", options=CHEAP, rig="ready"),
    _mutant("a won 亮张 is a won wall card", "record", PLAY, 'settled.taken.seat, "liang", table.dealer', 'settled.taken.seat, "wall", table.dealer', options=CHEAP, rig="ready"),
    _mutant("the previous seat wins the 亮张 before the next", "§4", PLAY, "for seat in asked\n", "for seat in (asked[0], *asked[:0:-1])\n", options=CHEAP, rig="ready"),
    _mutant("opening 提 stay in the hand", "§4", PLAY, "if table.seats[seat].hand[card] == 4:", "if False:", options={"santi_wukan": "off"}, rig="alike"),
    _mutant("the seat after the dealer begins", "§4", PLAY, "return Completed(table.dealer)", "return Completed(order[1])"),
)  # fmt: skip

DRAWS: Final = (
    _mutant("the last card of the wall is not drawn", "§5", PLAY, "if not table.wall:", "if len(table.wall) < 2:"),
    _mutant("there is no 海底", "§5", PLAY, "table.last_drawn = not table.wall", "table.last_drawn = False", options=CHEAP),
    _mutant("the last card but one is 海底 too", "§5", PLAY, "table.last_drawn = not table.wall", "table.last_drawn = len(table.wall) < 2", options=CHEAP),
    _mutant("a discard after the last card is 海底", "§12", PLAY, "    table.last_drawn = False\n", "", options={**CHEAP, "discard_hu": True, "haidi_plain_total": 3}),
    _mutant("偎 is not forced", "§5 D1", PLAY, "hidden is not None or own.hand[card] == 2:", "hidden is not None:"),
    _mutant("提 from a 偎 is not forced", "§5 D1", PLAY, 'hidden = own.meld_of(card, "wei", "chouwei")', "hidden = None"),
    _mutant("臭偎 is a plain 偎", "§7", PLAY, '"chouwei" if card in own.passed_peng else "wei"', '"wei"', options=CHEAP, rig="thirds"),
    _mutant("a passed 吃 makes a 臭偎", "§7", PLAY, '"chouwei" if card in own.passed_peng else', '"chouwei" if card in own.passed_chi else', options=CHEAP, rig="thirds"),
    _mutant("the own 偎 or 提 cannot win", "§5 D1", PLAY, 'offers = _hu(table, seat, card, "self")\n', "offers: list[Offer] = []\n", options=CHEAP),
    _mutant("胡 on the own 偎 is asked before the discard", "questions", PLAY, 'actions = discards or ("pass",)', 'actions = ("pass",) if step.win else discards or ("pass",)', options=CHEAP),
    _mutant("a dead hand draws again", "§9", PLAY, '        table.note("deadhand", step.seat)\n', '        table.note("deadhand", step.seat)\n        return Draw(step.seat)\n', options={"santi_wukan": "off", "min_xi": 60}, rig="thirds"),
    _mutant("the next turn is the previous seat's", "§5", PLAY, "return Draw(table.order_from(step.seat)[1])", "return Draw(table.order_from(step.seat)[2])", rig="alike"),
    _mutant("after a river the previous seat draws", "§5", PLAY, "return Draw(order[1])", "return Draw(order[2])"),
    _mutant("a winning own draw is another's card", "record", PLAY, '"zimo" if winner == seat else "wall"', '"wall"', options=CHEAP),
)  # fmt: skip

DISCARDS: Final = (
    _mutant("a 坎 may be broken for a discard", "§2", TABLE, "if 1 <= seat.hand[card] <= 2", "if 1 <= seat.hand[card] <= 3"),
    _mutant("a pair may not be broken for a discard", "§2", TABLE, "if 1 <= seat.hand[card] <= 2", "if seat.hand[card] == 1"),
    _mutant("each quad owes its discard", "§3", TABLE, "REST_CARDS + max(0, quads - 1)", "REST_CARDS", rig="alike"),
    _mutant("no quad owes a discard", "§3", TABLE, "REST_CARDS + max(0, quads - 1)", "REST_CARDS + quads", rig="alike"),
    _mutant("the rest of a seat is one card more", "§3", TABLE, "REST_CARDS = 20", "REST_CARDS = 21"),
    _mutant("only 跑 count as quads", "§3", TABLE, "if meld.kind in QUADS)", 'if meld.kind == "pao")', rig="alike"),
)  # fmt: skip

WINS: Final = (
    _mutant("a discard may be won", "§8", PLAY, "if table.options.discard_hu:", "if True:", options=CHEAP),
    _mutant("a discard may not be won though the option says so", "§12", PLAY, "if table.options.discard_hu:", "if False:", options={**CHEAP, "discard_hu": True}),
    _mutant("a won discard is of the next seat alone", "§12", PLAY, "for other in others\n", "for other in others[:1]\n", options={**CHEAP, "discard_hu": True}),
    _mutant("the drawer wins last", "§5 D2", PLAY, "        for other in order\n", "        for other in (*order[1:], seat)\n", options=CHEAP, rig="ready"),
    _mutant("the previous seat wins before the next", "§5 D2", PLAY, "        for other in order\n", "        for other in (seat, order[2], order[1])\n", options=CHEAP, rig="ready"),
    _mutant("only the drawer may win a card", "§8", PLAY, "        for other in order\n", "        for other in order[:1]\n", options=CHEAP),
    _mutant("another's card counts as an own draw", "§8", PLAY, '"self" if other == seat else "other"', '"self"', options=CHEAP),
    _mutant("跑 goes before 胡", "§5 D3", PLAY, "steps = list(wins)", "steps = list(wins) if runner is None else []", options=CHEAP),
    _mutant("臭胡 does not bar", "§8 臭胡", PLAY, "return seat.passed_hu.get(card) == _hu_key(table, seat, offer.win)", "return False", options=CHEAP),
    _mutant("臭胡 bars the card whatever the total", "§8 臭胡", PLAY, "return seat.passed_hu.get(card) == _hu_key(table, seat, offer.win)", "return card in seat.passed_hu", options=CHEAP),
    _mutant("臭胡 bars every card with that total", "§8 臭胡", PLAY, "seat.passed_hu.get(card) == _hu_key(table, seat, offer.win)", "_hu_key(table, seat, offer.win) in seat.passed_hu.values()", options=CHEAP),
    _mutant("臭胡 keeps the first record", "§8 臭胡", PLAY, "seat_of.passed_hu[card] = _hu_key(table, seat_of, offer.win)", "seat_of.passed_hu.setdefault(card, _hu_key(table, seat_of, offer.win))", options=CHEAP),
    _mutant("臭胡 keeps the total though table_xi is asked", "§12", PLAY, 'if table.options.chou_hu == "table_xi" else win.xi', "if False else win.xi", options={**CHEAP, "chou_hu": "table_xi"}),
    _mutant("臭胡 keeps 息 on the table though the total is asked", "§8 臭胡", PLAY, 'if table.options.chou_hu == "table_xi" else win.xi', "if True else win.xi", options=CHEAP),
    _mutant("臭胡 acts though switched off", "§12", PLAY, 'if table.options.chou_hu == "off" or', "if", options={**CHEAP, "chou_hu": "off"}),
    _mutant("坎 in hand count for table_xi", "§12", TABLE, "return sum(meld.xi for meld in self.melds)", "return sum(meld.xi for meld in self.melds) + 3 * sum(n == 3 for n in self.hand)", options={**CHEAP, "chou_hu": "table_xi"}),
    _mutant("a declined 胡 on the own 偎 is not remembered", "§8 臭胡", PLAY, "seat.passed_hu[step.card] = _hu_key(table, seat, step.win)", "pass", options=CHEAP),
)  # fmt: skip

RUNS: Final = (
    _mutant("a 碰 runs on a discard", "§5 E2", PLAY, 'if from_wall else ("wei", "chouwei")\n', 'if True else ("wei", "chouwei")\n'),
    _mutant("a 碰 never runs", "§5 D3", PLAY, '("wei", "chouwei", "peng") if from_wall', '("wei", "chouwei") if from_wall'),
    _mutant("a 碰 does not run on the own draw", "§13.5", PLAY, "if seat.meld_of(card, *kinds) is not None:", "if number != drawer and seat.meld_of(card, *kinds) is not None:"),
    _mutant("a 坎 does not run", "§5 D3", PLAY, "if seat.hand[card] == 3 and number != drawer:", "if False:"),
    _mutant("a 坎 runs only on a wall card", "§5 E2", PLAY, "if seat.hand[card] == 3 and number != drawer:", "if seat.hand[card] == 3 and number != drawer and from_wall:"),
    _mutant("a 偎 does not run", "§5 D3", PLAY, "if seat.meld_of(card, *kinds) is not None:", 'if seat.meld_of(card, *(k for k in kinds if k != "wei")) is not None:'),
    _mutant("a 臭偎 does not run", "§5 D3", PLAY, "if seat.meld_of(card, *kinds) is not None:", 'if seat.meld_of(card, *(k for k in kinds if k != "chouwei")) is not None:', rig="thirds"),
    _mutant("a 跑 is a 提", "§2", PLAY, 'seat.lay("pao", card', 'seat.lay("ti", card', options=CHEAP),
    _mutant("a 跑 of another's 碰 leaves the question as it is", "questions", PLAY, '(from_wall and seat.meld_of(card, "peng"))', "False", options=CHEAP),
    _mutant("a 碰 of another takes 碰 and 吃 of a discard out of the question", "questions", PLAY, '(from_wall and seat.meld_of(card, "peng"))', 'seat.meld_of(card, "peng")'),
    _mutant("another's hidden 跑 takes 碰 and 吃 out of the question", "questions", PLAY, "askable = [] if public else", "askable = [] if public or runner is not None else", options=CHEAP),
    _mutant("a seat that must 跑 is asked to 吃", "questions", PLAY, "for claim in claims if claim.seat != runner", "for claim in claims", options=CHEAP),
)  # fmt: skip

PENG_AND_CHI: Final = (
    _mutant("碰 needs three in hand", "§5 D4", PLAY, ".hand[card] == 2\n", ".hand[card] == 3\n"),
    _mutant("碰 only from a discard", "§11.11", PLAY, "_peng(table, order[1:], card) + _chi", "_peng(table, order[:0], card) + _chi"),
    _mutant("碰 only from a wall card", "§11.11", PLAY, "_peng(table, others, card) + _chi", "_peng(table, others[:0], card) + _chi"),
    _mutant("碰 only by the next seat", "§5 D4", PLAY, "_peng(table, order[1:], card) + _chi", "_peng(table, order[1:2], card) + _chi"),
    _mutant("吃 goes before 碰", "§5 D5", PLAY, "claims = _peng(table, order[1:], card) + _chi(table, order[:2], card)", "claims = _chi(table, order[:2], card) + _peng(table, order[1:], card)"),
    _mutant("the drawer may not eat his own card", "§5 D5", PLAY, "_chi(table, order[:2], card)", "_chi(table, order[1:2], card)"),
    _mutant("the next seat eats before the drawer", "§11.23", PLAY, "_chi(table, order[:2], card)", "_chi(table, order[1::-1], card)"),
    _mutant("the previous seat may eat too", "§5 D5", PLAY, "_chi(table, order[:2], card)", "_chi(table, order, card)"),
    _mutant("the previous seat may eat a discard", "§5 E4", PLAY, "_chi(table, others[:1], card)", "_chi(table, others, card)"),
    _mutant("one meld eats, whatever else is held", "§6 比", EATING, "    pantry[card] += 1\n", "    pantry[card] = 1\n"),
    _mutant("cards of a 坎 may be eaten with", "§6", EATING, "0 if count >= 3 else count for count in hand", "0 if count >= 4 else count for count in hand"),
    _mutant("the eaten card may be one of a 坎", "§6", EATING, "if hand[card] >= 3:", "if hand[card] >= 4:", options=CHEAP, rig="thirds"),
    _mutant("a meld may be eaten once only", "§6", EATING, "_meals(left, card, menu[at:])", "_meals(left, card, menu[at + 1:])", rig="thirds"),
    _mutant("a 吃 may use up all loose cards", "§6.4", EATING, "loose - (3 * len(meal) - 1) >= 1", "loose - (3 * len(meal) - 1) >= 0", options={"santi_wukan": "off"}, rig="thirds"),
    _mutant("a 吃 must leave two loose cards", "§6.4", EATING, "loose - (3 * len(meal) - 1) >= 1", "loose - (3 * len(meal) - 1) >= 2", options={"santi_wukan": "off"}, rig="thirds"),
    _mutant("a 碰 may use up all loose cards", "§9", PLAY, "(seat.loose() > 2 or", "(seat.loose() > 1 or", options={"santi_wukan": "off"}, rig="thirds"),
    _mutant("a claim that ends in a dead hand is barred though allowed", "§12", PLAY, "return table.options.forbid_claim_without_discard and", "return", options={"santi_wukan": "off", "forbid_claim_without_discard": False}, rig="thirds"),
    _mutant("a claim without a due discard must leave a loose card", "§9", PLAY, "forbid_claim_without_discard and seat.owes(more=1)", "forbid_claim_without_discard", options={"santi_wukan": "off"}, rig="thirds"),
)  # fmt: skip

MARKS: Final = (
    _mutant("an own discard does not die", "§7", PLAY, "table.seats[seat].own_discards.add(card)", "pass"),
    _mutant("an own discard bars only 吃", "§7", TABLE, "options.own_discard_dead and card in self.own_discards", "chi and options.own_discard_dead and card in self.own_discards"),
    _mutant("an own discard bars only 碰", "§7", TABLE, "options.own_discard_dead and card in self.own_discards", "not chi and options.own_discard_dead and card in self.own_discards"),
    _mutant("an own discard is dead though the option says no", "§12", TABLE, "options.own_discard_dead and card in self.own_discards", "card in self.own_discards", options={"own_discard_dead": False}),
    _mutant("a passed 碰 does not bar 吃", "§7", TABLE, "return card not in self.passed_peng and card not in self.passed_chi", "return card not in self.passed_chi and (chi or card not in self.passed_peng)"),
    _mutant("a passed 吃 does not bar 碰", "§7", TABLE, "return card not in self.passed_peng and card not in self.passed_chi", "return card not in self.passed_peng and (not chi or card not in self.passed_chi)"),
    _mutant("a passed 碰 bars 吃 though the option says no", "§12", TABLE, "if options.dead_peng_blocks_chi:", "if True:", preset="tongyi-qmt"),
    _mutant("a passed 吃 bars 碰 alone", "§7", TABLE, "(self.passed_chi if chi else self.passed_peng)", "(self.passed_peng if chi else self.passed_chi)", preset="tongyi-qmt"),
    _mutant("a passed 碰 is marked as a passed 吃", "§7", PLAY, 'seat_of.passed_peng if offer.kind == "peng" else seat_of.passed_chi', "seat_of.passed_chi", preset="tongyi-qmt"),
    _mutant("offers are not marked at all", "§7", PLAY, "elif settled.taken is None or settled.taken.seat != offer.seat:", "elif False:"),
    _mutant("offers are marked only if somebody takes the card", "§7 (F14)", PLAY, "elif settled.taken is None or settled.taken.seat != offer.seat:", "elif settled.taken is not None and settled.taken.seat != offer.seat:"),
    _mutant("offers are marked only if nobody takes the card", "§7 (F17)", PLAY, "elif settled.taken is None or settled.taken.seat != offer.seat:", "elif settled.taken is None:"),
    _mutant("the taker is marked for what he passed", "§7", PLAY, "elif settled.taken is None or settled.taken.seat != offer.seat:", "else:", preset="tongyi-qmt", rig="thirds"),
    _mutant("offers that were not reached are marked too", "§7 (F16)", PLAY, "            return Settled(offer, answer, tuple(declined))\n        declined", "            later = [one for one in steps if one.kind == 'chi' and one is not offer]\n            return Settled(offer, answer, tuple(declined + later))\n        declined"),
    _mutant("one declined 胡 hides the others", "§7", PLAY, "        declined.append(offer)\n", "        declined = [offer]\n", options=CHEAP),
)  # fmt: skip

SUCCESSION: Final = (
    _mutant("the dealer deals again after losing", "§1", TABLE, "return winner, 0", "return dealer, 0"),
    _mutant("a win does not reset the counter of 荒庄", "§1", TABLE, "return winner, 0", "return winner, draws_in_row"),
    _mutant("the deal moves after one 荒庄 more", "§1", TABLE, "if draws_in_row + 1 >= options", "if draws_in_row >= options"),
    _mutant("the deal moves to the previous seat", "§1", TABLE, "return (dealer + 1) % SEATS, 0", "return (dealer + 2) % SEATS, 0"),
    _mutant("the counter of 荒庄 goes on when the deal moves", "§1", TABLE, "return (dealer + 1) % SEATS, 0", "return (dealer + 1) % SEATS, draws_in_row + 1"),
    _mutant("荒庄 are not counted", "§1", TABLE, "return dealer, draws_in_row + 1", "return dealer, draws_in_row"),
)  # fmt: skip

MUTANTS: Final = (
    *FAIR_DEAL,
    *OPENING,
    *DRAWS,
    *DISCARDS,
    *WINS,
    *RUNS,
    *PENG_AND_CHI,
    *MARKS,
    *SUCCESSION,
)

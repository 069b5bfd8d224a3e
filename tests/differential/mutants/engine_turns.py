"""Mutants of the engine in the course of a round: the deal, the turn machine, claims, marks, succession."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.mutants.planting import Mutant

CHEAP: Final = {"min_xi": 3, "deng_first": 3}
"""Nearly every complete hand wins."""

# No mutant of a 提 from a 臭偎, nor of the question beside a 跑 from one: a 臭偎 has a passed 碰 before it, so
# its fourth card lies in the open and never comes. The examples run it from a position made by hand.
CLAIMS, EATING, GAME = "paohuzi/claims.py", "paohuzi/eating.py", "paohuzi/game.py"
POSITION, SCORING, STATE = "paohuzi/position.py", "paohuzi/scoring.py", "paohuzi/state.py"
FAIR = "fair_deal.py"
ORDER = "    order = (source, (source + 1) % 3, (source + 2) % 3)\n"


def _mutant(name: str, rule: str, file: str, old: str, new: str, anchor: str = "", **more: Any) -> Mutant:
    return Mutant(name, rule, file, old, new, anchor, **more)


DEAL: Final = (
    _mutant("the previous seat is dealt second", "§1", POSITION, "position.hands[(dealer + turn) % 3]", "position.hands[(dealer + 2 * turn) % 3]"),
    _mutant("cards are dealt one by one", "§1", POSITION, "wall[20 * turn : 20 * turn + 20]", "wall[turn : 60 : 3]"),
    _mutant("the first card of the wall is never drawn", "§1", POSITION, "position.at = WALL_START", "position.at = WALL_START + 1"),
    _mutant("the 亮张 is the last card of the wall", "§1", POSITION, "liang = wall[WALL_START - 1]", "liang = wall[-1]"),
    _mutant("the dealer's 21st card is not counted", "§1", POSITION, "position.held[dealer] += 1", "position.held[dealer] += 0"),
    _mutant("the shuffle leaves the last place alone", "fair deal", FAIR, "range(cards, 1, -1)", "range(cards - 1, 1, -1)"),
    _mutant("the shuffle takes words without rejecting", "fair deal", FAIR, "return word % bound", "return (word >> 1) % bound"),
    _mutant("the commitment leaves the round out", "fair deal", FAIR, 'b"paiju-commit-1" + lp(round_id.encode()) + seed', 'b"paiju-commit-1" + seed'),
    _mutant("nonces are mixed in from the last seat", "fair deal", FAIR, "map(lp, nonces)", "map(lp, nonces[::-1])"),
    _mutant("the first dealer is drawn like the wall", "fair deal", FAIR, 'b"paiju-dealer-1"', 'b"paiju-deal-1"'),
    _mutant("lengths are written little-endian", "fair deal", FAIR, 'len(part).to_bytes(2, "big")', 'len(part).to_bytes(2, "little")'),
)  # fmt: skip

OPENING: Final = (
    _mutant("三提五坎 is looked for from the previous seat", "§4", POSITION, "for seat in order:\n                if is_santi", "for seat in order[::-1]:\n                if is_santi", rig="santi"),
    _mutant("三提五坎 needs four 提", "§4", SCORING, "return quads >= 3 or", "return quads >= 4 or", rig="santi"),
    _mutant("三提五坎 needs six 坎", "§4", SCORING, "count_cards(kans_of(hand)) >= 5", "count_cards(kans_of(hand)) >= 6", rig="santi"),
    _mutant("三提五坎 needs four 坎", "§4", SCORING, "count_cards(kans_of(hand)) >= 5", "count_cards(kans_of(hand)) >= 4", rig="santi"),
    _mutant("a 提 is no 坎 for 三提五坎", "§4", SCORING, "quads + count_cards(kans_of(hand)) >= 5", "count_cards(kans_of(hand)) >= 5", rig="santi"),
    _mutant("三提五坎 wins though switched off", "§12", SCORING, 'return source != "santi" or rules.santi_wukan == "auto"', "return True", options={"santi_wukan": "off"}),
    _mutant("三提五坎 never wins", "§4", POSITION, 'if rules.santi_wukan == "auto":', "if False:", rig="santi"),
    _mutant("nobody may win the 亮张", "§4", POSITION, 'if rules.liangzhang_hu != "off" and', "if False and", options=CHEAP, rig="ready"),
    _mutant("the 亮张 may be won though switched off", "§12", SCORING, 'return rules.liangzhang_hu != "off"', "return True", options={**CHEAP, "liangzhang_hu": "off"}),
    _mutant("all may win the 亮张 though only the dealer should", "§12", SCORING, 'return rules.liangzhang_hu == "all"', "return True", options={**CHEAP, "liangzhang_hu": "dealer"}),
    _mutant("only the dealer may win the 亮张", "§4", POSITION, 'order if rules.liangzhang_hu == "all" else order[:1]', "order[:1]", options=CHEAP, rig="ready"),
    _mutant("the 亮张 counts twice for the dealer", "§4", CLAIMS, 'position, seat, card, "liang_dealer" if seat == position.dealer else "liang_other"', 'position, seat, card, "liang_other"', options=CHEAP, rig="ready"),
    _mutant("opening 提 stay in the hand", "§4", POSITION, "for card in distinct(quads_of(self.hands[seat])):", "for card in ():", options={"santi_wukan": "off"}, rig="alike"),
    _mutant("the seat after the dealer begins", "§4", POSITION, "return self.after(self.dealer)", "return self.after((self.dealer + 1) % 3)"),
)  # fmt: skip

DRAWS: Final = (
    _mutant("the last card of the wall is not drawn", "§5", POSITION, "if self.at >= len(self.wall):", "if self.at >= len(self.wall) - 1:"),
    _mutant("there is no 海底", "§5", POSITION, "self.last = self.at == len(self.wall)", "self.last = False", options=CHEAP),
    _mutant("the last card but one is 海底 too", "§5", POSITION, "self.last = self.at == len(self.wall)", "self.last = self.at >= len(self.wall) - 1", options=CHEAP),
    _mutant("a 偎 of the last card is no 海底", "§13.16", POSITION, "card, MADE, self.last)", "card, MADE, False)", options=CHEAP, rig="ready"),
    _mutant("another's last card is no 海底", "§10a", CLAIMS, 'last = kind == "draw" and position.last', 'last = kind == "draw" and position.last and seat == source', options=CHEAP),
    _mutant("a discard after the last card is 海底", "§12", CLAIMS, 'last = kind == "draw" and position.last', "last = position.last", options={**CHEAP, "discard_hu": True, "haidi_plain_total": 3}),
    _mutant("偎 is not forced", "§5 D1", POSITION, "if count < 2 and not", "if count < 3 and not"),
    _mutant("提 from a 坎 is not forced", "§5 D1", POSITION, "if count < 2 and not self.weis", "if count in (0, 1, 3) and not self.weis"),
    _mutant("提 from a 偎 is not forced", "§5 D1", POSITION, "if count < 2 and not self.weis[seat] >> card & 1:", "if count < 2:"),
    _mutant("臭偎 is a plain 偎", "§7", POSITION, '"chouwei" if self.peng_dead[seat] >> card & 1 else "wei"', '"wei"', options=CHEAP, rig="thirds"),
    _mutant("a passed 吃 makes a 臭偎", "§7", POSITION, '"chouwei" if self.peng_dead[seat] >> card', '"chouwei" if self.chi_dead[seat] >> card', options=CHEAP, rig="thirds"),
    _mutant("every 偎 is shown", "§2", POSITION, '"chouwei" if self.peng_dead[seat] >> card & 1 else "wei"', '"chouwei"', options=CHEAP, rig="thirds"),
    _mutant("an own 偎 owes no discard", "§3", POSITION, "self.held[seat] += 1", "self.held[seat] += count == 3", "def draw_card"),
    _mutant("an own 提 owes no discard", "§3", POSITION, "self.held[seat] += 1", "self.held[seat] += count == 2", "def draw_card"),
    _mutant("the own 偎 or 提 cannot win", "§5 D1", POSITION, "if not self.dead[seat] and not self.filler[seat]:", "if False:", options=CHEAP),
    _mutant("胡 on the own 偎 is asked before the discard", "questions", POSITION, "discards = self.discards(seat) if self.owes(seat) else ()", "discards = ()", options=CHEAP),
    _mutant("胡 on the own 偎 is another's card", "record", POSITION, 'self.win(seat, "zimo", seat', 'self.win(seat, "wall", seat', options=CHEAP),
    _mutant("the next turn is the previous seat's", "§5", POSITION, "return (seat + 1) % 3", "return (seat + 2) % 3", "def after(", rig="alike"),
    _mutant("a dead hand draws again", "§9", POSITION, 'self.note(f"deadhand@{seat}")\n        return (seat + 1) % 3', 'self.note(f"deadhand@{seat}")\n        return seat', options={"santi_wukan": "off", "min_xi": 60}, rig="thirds"),
    _mutant("after a river the previous seat draws", "§5", CLAIMS, 'position.note(f"river@{source}")\n    return (source + 1) % 3', 'position.note(f"river@{source}")\n    return (source + 2) % 3'),
)  # fmt: skip

DISCARDS: Final = (
    _mutant("a 坎 may be broken for a discard", "§2", STATE, "distinct(loose_of(self.hands[seat]))", "distinct(self.hands[seat])"),
    _mutant("a pair may not be broken for a discard", "§2", STATE, "distinct(loose_of(self.hands[seat]))", "[at for at in distinct(self.hands[seat]) if self.hands[seat] >> 3 * at & 7 == 1]"),
    _mutant("each quad owes its discard", "§3", STATE, "(19 + quads if quads else 20)", "20", "def owes(", rig="alike"),
    _mutant("no quad owes a discard", "§3", STATE, "(19 + quads if quads else 20)", "20 + quads", "def owes(", rig="alike"),
    _mutant("the rest of a seat is one card more", "§3", STATE, "(19 + quads if quads else 20)", "(19 + quads if quads else 21)", "def owes("),
    _mutant("a discard does not shrink the hand", "§3", POSITION, "self.held[seat] -= 1", "self.held[seat] -= 0"),
)  # fmt: skip

WINS: Final = (
    _mutant("a discard may be won", "§8", SCORING, "return rules.discard_hu\n", "return True\n", options=CHEAP),
    _mutant("a discard may not be won though the option says so", "§12", CLAIMS, "(drawn or (other and rules.discard_hu))", "drawn", options={**CHEAP, "discard_hu": True}),
    _mutant("only the drawer may win a card", "§8", CLAIMS, "(drawn or (other and rules.discard_hu))", "(drawn and not other)", options=CHEAP),
    _mutant("the drawer may not win a shown card", "§8", CLAIMS, "(drawn or (other and rules.discard_hu))", "(drawn and other)", options=CHEAP),
    _mutant("a 碰 of the winner must run", "§8 破跑胡", CLAIMS, "rules.po_pao_hu,", "rules.po_pao_hu and not drawn,", options=CHEAP),
    _mutant("po_pao_hu acts though switched off", "§12", SCORING, "source, rules.po_pao_hu)", "source, True)", options={**CHEAP, "po_pao_hu": False}),
    _mutant("the previous seat wins before the next", "§5 D2", CLAIMS, ORDER, "    order = (source, (source + 2) % 3, (source + 1) % 3)\n", options=CHEAP, rig="ready"),
    _mutant("the drawer wins last", "§5 D2", CLAIMS, ORDER, "    order = ((source + 1) % 3, (source + 2) % 3, source)\n", options=CHEAP, rig="ready"),
    _mutant("跑 goes before 胡", "§5 D3", CLAIMS, ORDER, ORDER + "    if position.pao_seat >= 0 and kind != 'liang':\n        settle(position, reached, -1)\n        return take_pao(position, position.pao_seat)\n", options=CHEAP),
    _mutant("a later 胡 does not wait for the earlier seat", "§5 D2", CLAIMS, "            if answers[seat] is None:\n                return STOP\n            reached.append((HU, seat))", "            if answers[seat] is None:\n                continue\n            reached.append((HU, seat))", options=CHEAP, rig="ready"),
    _mutant("臭胡 does not bar", "§8 臭胡", CLAIMS, "if position.passed_hu[seat].get(card) == key:", "if False:", options=CHEAP),
    _mutant("臭胡 bars the card whatever the total", "§8 臭胡", CLAIMS, "if position.passed_hu[seat].get(card) == key:", "if card in position.passed_hu[seat]:", options=CHEAP),
    _mutant("臭胡 bars every card with that total", "§8 臭胡", CLAIMS, "position.passed_hu[seat].get(card) == key", "key in position.passed_hu[seat].values()", options=CHEAP),
    _mutant("臭胡 keeps the first record", "§8 臭胡", CLAIMS, "position.passed_hu[seat][card] = key", "key = position.passed_hu[seat].setdefault(card, key)", options=CHEAP),
    _mutant("臭胡 keeps the total though table_xi is asked", "§12", CLAIMS, 'key = win.xi if rule == "win_xi" else', "key = win.xi if True else", options={**CHEAP, "chou_hu": "table_xi"}),
    _mutant("臭胡 keeps 息 on the table though the total is asked", "§8 臭胡", CLAIMS, 'key = position.hu_totals[seat] if rule == "win_xi" else', "key = position.hu_totals[seat] if False else", options=CHEAP),
    _mutant("a taken 碰 leaves no 臭胡 record of the 胡 declined before", "§8 臭胡", CLAIMS, "if position.answers[seat] != HU:", "if position.answers[seat] == PASS:", options=CHEAP),
    _mutant("a won 亮张 is a won wall card", "record", CLAIMS, 'how, form = "liang",', 'how, form = "wall",', options=CHEAP, rig="ready"),
)  # fmt: skip

RUNS: Final = (
    _mutant("a 碰 runs on a discard", "§5 E2", CLAIMS, "if drawn and position.pengs[seat] & bit:", "if position.pengs[seat] & bit:"),
    _mutant("a 碰 does not run on the own draw", "§13.5", CLAIMS, "if drawn and position.pengs[seat] & bit:", "if drawn and other and position.pengs[seat] & bit:"),
    _mutant("a 碰 never runs", "§5 D3", CLAIMS, "if drawn and position.pengs[seat] & bit:", "if False:"),
    _mutant("a 坎 does not run", "§5 D3", CLAIMS, "position.hands[seat] >> shift & 7 == 3 or position.weis[seat] & bit", "position.weis[seat] & bit"),
    _mutant("a 坎 runs only on a wall card", "§5 E2", CLAIMS, "position.hands[seat] >> shift & 7 == 3 or", "drawn and position.hands[seat] >> shift & 7 == 3 or"),
    _mutant("a 偎 does not run", "§5 D3", CLAIMS, "position.hands[seat] >> shift & 7 == 3 or position.weis[seat] & bit", "position.hands[seat] >> shift & 7 == 3"),
    _mutant("a 臭偎 does not run", "§5 D3", CLAIMS, "or position.weis[seat] & bit)", "or position.weis[seat] & bit & ~position.chouweis[seat])", rig="thirds"),
    _mutant("a 跑 owes no discard", "§3", CLAIMS, "position.held[seat] += 1", "position.held[seat] += 0", "def take_pao("),
    _mutant("a 跑 never owes a discard and ends the turn", "§3", CLAIMS, "return position.after(seat)", "return (seat + 1) % 3", "def take_pao("),
    _mutant("a 跑 of another's 碰 leaves the question as it is", "questions", CLAIMS, "open_pao = 1 << seat\n        elif", "open_pao = 0\n        elif", options=CHEAP),
    _mutant("another's hidden 跑 takes 碰 and 吃 out of the question", "questions", CLAIMS, "if position.chouweis[seat] & bit:", "if True:", options=CHEAP),
    _mutant("a seat that must 跑 is asked to 吃", "questions", CLAIMS, "if seat != pao and not open_pao", "if not open_pao", options=CHEAP),
)  # fmt: skip

PENG_AND_CHI: Final = (
    _mutant("nobody may 碰", "§5 D4", CLAIMS, "and may_peng(position, seat, card)", "and False"),
    _mutant("碰 only from a wall card", "§11.11", CLAIMS, "and may_peng(position, seat, card)", "and drawn and may_peng(position, seat, card)"),
    _mutant("碰 only from a discard", "§11.11", CLAIMS, "and may_peng(position, seat, card)", "and not drawn and may_peng(position, seat, card)"),
    _mutant("吃 goes before 碰", "§5 D5", CLAIMS, "    seat = position.peng_seat\n    if seat >= 0:", "    for seat in position.chi_seats:\n        if (answers[seat] or '').startswith('chi'):\n            settle(position, reached, seat)\n            return take_chi(position, seat, str(answers[seat]))\n    seat = position.peng_seat\n    if seat >= 0:"),
    _mutant("the drawer may not eat his own card", "§5 D5", CLAIMS, "(seat == source and drawn) or seat == following", "seat == following"),
    _mutant("the discarder may eat his discard", "§5 E4", CLAIMS, "(seat == source and drawn) or seat == following", "seat == source or seat == following", options={"own_discard_dead": False}),
    _mutant("the previous seat may eat too", "§5 D5", CLAIMS, "(seat == source and drawn) or seat == following", "seat != source or drawn"),
    _mutant("the next seat may not eat what another draws", "§5 D5", CLAIMS, "(seat == source and drawn) or seat == following", "(seat == source) == drawn and seat in (source, following)"),
    _mutant("the next seat eats before the drawer", "§11.23", CLAIMS, "else (source, following, (source + 2) % 3):", "else (following, source, (source + 2) % 3):"),
    _mutant("a 碰 owes no discard", "§3", CLAIMS, "position.held[seat] += 1", "position.held[seat] += 0", "def take_peng("),
    _mutant("a 吃 owes no discard", "§3", CLAIMS, "position.held[seat] += 1", "position.held[seat] += 0", "def take_chi("),
    _mutant("one meld eats, whatever else is held", "§6 比", EATING, "copies = (loose >> (3 * card) & 7) + 1", "copies = 1"),
    _mutant("cards of a 坎 may be eaten with", "§6", EATING, "loose = loose_of(hand)", "loose = hand"),
    _mutant("a 绞 of two small and one big cannot be eaten", "§6", "paohuzi/melds.py", "(rank, rank, rank + 10), (rank, rank + 10, rank + 10)", "(rank, rank + 10, rank + 10),"),
    _mutant("二七十 cannot be eaten", "§6", "paohuzi/melds.py", "for ranks in (*RUNS, TWO_SEVEN_TEN) if rank in ranks", "for ranks in RUNS if rank in ranks"),
    _mutant("a meld may be eaten once only", "§6", EATING, "walk(at, left - others", "walk(at + 1, left - others", rig="thirds"),
    _mutant("a 吃 may use up all loose cards", "§6.4", EATING, "if 3 * len(way[0]) - 1 < total", "if 3 * len(way[0]) - 1 <= total", options={"santi_wukan": "off"}, rig="thirds"),
    _mutant("a 碰 may use up all loose cards", "§9", CLAIMS, "+ position.filler[seat] > 2", "+ position.filler[seat] > 1", options={"santi_wukan": "off"}, rig="thirds"),
    _mutant("a claim that ends in a dead hand is barred though allowed", "§12", CLAIMS, "return position.rules.forbid_claim_without_discard and", "return True and", options={"santi_wukan": "off", "forbid_claim_without_discard": False}, rig="thirds"),
    _mutant("a claim without a due discard must leave a loose card", "§9", CLAIMS, "position.rules.forbid_claim_without_discard and position.owes(seat, 1)", "position.rules.forbid_claim_without_discard", options={"santi_wukan": "off"}, rig="thirds"),
)  # fmt: skip

MARKS: Final = (
    _mutant("an own discard does not die", "§7", POSITION, "self.own_dead[seat] |= 1 << card", "self.own_dead[seat] |= 0"),
    _mutant("an own discard bars only 吃", "§7", CLAIMS, "marks |= position.own_dead[seat]", "marks |= 0", "def may_peng("),
    _mutant("an own discard bars only 碰", "§7", CLAIMS, "marks |= position.own_dead[seat]", "marks |= 0", "def may_chi("),
    _mutant("an own discard is dead though the option says no", "§12", CLAIMS, "if rules.own_discard_dead:", "if True:", "def may_chi(", options={"own_discard_dead": False}),
    _mutant("own discards of others are dead too", "§7", CLAIMS, "marks |= position.own_dead[seat]", "marks |= position.own_dead[0] | position.own_dead[1] | position.own_dead[2]", "def may_chi("),
    _mutant("a passed 碰 does not bar 碰", "§7", CLAIMS, "marks = position.peng_dead[seat]", "marks = 0", preset="tongyi-qmt"),
    _mutant("a passed 吃 does not bar 吃", "§7", CLAIMS, "marks = position.chi_dead[seat]", "marks = 0", preset="tongyi-qmt"),
    _mutant("a passed 碰 does not bar 吃", "§7", CLAIMS, "if rules.dead_peng_blocks_chi:", "if False:", "def may_chi("),
    _mutant("a passed 吃 does not bar 碰", "§7", CLAIMS, "if rules.dead_peng_blocks_chi:", "if False:", "def may_peng("),
    _mutant("a passed 碰 bars 吃 though the option says no", "§12", CLAIMS, "if rules.dead_peng_blocks_chi:", "if True:", "def may_chi(", preset="tongyi-qmt"),
    _mutant("a passed 吃 bars 碰 though the option says no", "§12", CLAIMS, "if rules.dead_peng_blocks_chi:", "if True:", "def may_peng(", preset="tongyi-qmt"),
    _mutant("marks are of the rank, not of the size", "§7", CLAIMS, "    if marks >> card & 1:\n        return ()", "    if (marks | marks << 10 | marks >> 10) >> card & 1:\n        return ()"),
    _mutant("a passed 碰 is marked as a passed 吃", "§7", CLAIMS, "position.peng_dead if offer == PENG else position.chi_dead", "position.chi_dead", preset="tongyi-qmt"),
    _mutant("offers are not marked at all", "§7", CLAIMS, "marks[seat] |= bit", "marks[seat] |= 0"),
    _mutant("the taker is marked for the 碰 he passed", "§7", CLAIMS, "if seat == taker:", "if seat == taker and offer != PENG:", rig="thirds"),
    _mutant("a 碰 marks those who might have eaten", "§7 (F16)", CLAIMS, "reached.append((PENG, seat))", "reached += [(PENG, seat), *[('chi', at) for at in position.chi_seats]]"),
    _mutant("the drawer's 吃 marks the next seat", "§7 (F17)", CLAIMS, 'reached.append(("chi", seat))', 'reached += [("chi", at) for at in position.chi_seats]'),
    _mutant("the next seat's 吃 does not mark the drawer who declined", "§7 (F18)", CLAIMS, "        if answer.startswith(\"chi\"):\n            settle(position, reached, seat)", "        if answer.startswith(\"chi\"):\n            settle(position, [one for one in reached if one[0] != 'chi'], seat)"),
)  # fmt: skip

SUCCESSION: Final = (
    _mutant("the dealer deals again after losing", "§1", GAME, "return winners[0], 0", "return dealer, 0"),
    _mutant("a win does not reset the counter of 荒庄", "§1", GAME, "return winners[0], 0", "return winners[0], draws_in_row"),
    _mutant("the deal moves after one 荒庄 more", "§1", GAME, "if draws >= rules.huangzhuang_change_after:", "if draws > rules.huangzhuang_change_after:"),
    _mutant("the deal moves to the previous seat", "§1", GAME, "return (dealer + 1) % 3, 0", "return (dealer + 2) % 3, 0"),
    _mutant("the counter of 荒庄 goes on when the deal moves", "§1", GAME, "return (dealer + 1) % 3, 0", "return (dealer + 1) % 3, draws"),
    _mutant("荒庄 are not counted", "§1", GAME, "return dealer, draws", "return dealer, 0"),
)  # fmt: skip

MUTANTS: Final = (
    *DEAL,
    *OPENING,
    *DRAWS,
    *DISCARDS,
    *WINS,
    *RUNS,
    *PENG_AND_CHI,
    *MARKS,
    *SUCCESSION,
)

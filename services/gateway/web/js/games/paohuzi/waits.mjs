// 听牌: the cards that would complete a hand, from what its own player knows (Rules 2, 3 and 8).
import { KINDS, countCards, eatMeldsOf } from "./cards.mjs";
import { meldXi } from "./huxi.mjs";

const NONE = -1;
const QUADS = new Set(["ti", "pao"]);
const COPIES = 4;

/** The most 息 of loose cards parted into 吃-type melds and, if `jiang`, one pair; -1 if they do not fit together. */
function looseXi(cards, jiang) {
  if (cards.length % 3 !== (jiang ? 2 : 0)) return NONE;
  const counts = countCards(cards);
  const has = (meld) => {
    for (const [card, count] of countCards(meld)) if ((counts.get(card) ?? 0) < count) return false;
    return true;
  };
  const move = (meld, by) => meld.forEach((card) => counts.set(card, counts.get(card) + by));
  const memo = new Map();
  const walk = (pair) => {
    const card = KINDS.find((one) => counts.get(one));
    if (!card) return pair ? NONE : 0;
    const id = `${pair}${KINDS.map((one) => counts.get(one) ?? 0).join("")}`;
    if (memo.has(id)) return memo.get(id);
    let best = NONE;
    for (const meld of eatMeldsOf(card)) {
      if (!has(meld)) continue;
      move(meld, -1);
      const rest = walk(pair);
      move(meld, 1);
      if (rest >= 0) best = Math.max(best, rest + meldXi("chi", meld));
    }
    if (pair && has([card, card])) {
      move([card, card], -1);
      best = Math.max(best, walk(false));
      move([card, card], 1);
    }
    memo.set(id, best);
    return best;
  };
  return walk(jiang);
}

/** What is laid and locked, and the loose rest. */
function split(hand, melds) {
  const fixed = [...melds];
  const loose = [];
  for (const [card, count] of countCards(hand)) {
    if (count >= 3) fixed.push({ kind: count === 4 ? "ti" : "kan", cards: Array(count).fill(card) });
    else for (let i = 0; i < count; i++) loose.push(card);
  }
  return { fixed, loose };
}

function total(fixed, loose) {
  const quads = fixed.filter((meld) => QUADS.has(meld.kind)).length;
  const cards = fixed.reduce((sum, meld) => sum + meld.cards.length, loose.length);
  if (cards !== (quads ? 20 + quads : 21)) return NONE;
  const rest = looseXi(loose, quads > 0);
  return rest < 0 ? NONE : rest + fixed.reduce((sum, meld) => sum + meldXi(meld.kind, meld.cards), 0);
}

/** The most 息 a hand is worth with this card, drawn by its own player or by another; -1 if it does not win. */
export function xiWith(hand, melds, card, { own = false, poPaoHu = true } = {}) {
  const { fixed, loose } = split(hand, melds);
  const replace = (old, kind) => fixed.map((meld) => (meld === old ? { kind, cards: Array(4).fill(card) } : meld));
  const holder = fixed.find((meld) => meld.kind !== "chi" && meld.kind !== "ti" && meld.kind !== "pao" && meld.cards[0] === card);
  if (holder) {
    if (own && holder.kind !== "peng") return total(replace(holder, "ti"), loose);
    const run = total(replace(holder, "pao"), loose);
    return poPaoHu ? Math.max(run, total(fixed, [...loose, card])) : run;
  }
  const rest = loose.filter((one) => one !== card);
  if (loose.length - rest.length < 2) return total(fixed, [...loose, card]);
  const three = (kind) => [...fixed, { kind, cards: Array(3).fill(card) }];
  if (own) return total(three("wei"), rest);
  return Math.max(total(three("peng"), rest), total(fixed, [...loose, card]));
}

/**
 * The cards that win, `[{card, left, selfOnly}]`: `left` copies are not seen yet, `selfOnly` ones win only as the own draw.
 * `seen` is every card this player can see.
 */
export function waitsOf({ hand, melds, minXi, poPaoHu = true, seen = [] }) {
  if (melds.some((meld) => meld.cards.includes("?"))) return [];
  const counts = countCards(seen);
  const found = [];
  for (const card of KINDS) {
    const left = COPIES - (counts.get(card) ?? 0);
    if (left < 1) continue;
    const others = xiWith(hand, melds, card, { poPaoHu });
    const own = xiWith(hand, melds, card, { own: true, poPaoHu });
    if (Math.max(others, own) >= minXi) found.push({ card, left, selfOnly: others < minXi });
  }
  return found;
}

// How a hand lies before its player: locked 坎 first, then what belongs together, in columns of at most three cards.
import { KINDS, cardOf, compareCards, countCards, eatMeldsOf, rankOf } from "./cards.mjs";
import { meldXi } from "./huxi.mjs";

/** Cards in one column. */
export const COLUMN_CARDS_MAX = 3;

/** Columns a hand may have. */
export const COLUMNS_MAX = 10;

const WORTH_PAIR = 30;
const WORTH_HALF = 8;

/**
 * The columns of a hand: `[{cards, locked}]`. `order` is `melds` (what belongs together) or `ranks` (by number).
 */
export function columnsOf(hand, order = "melds") {
  const counts = countCards(hand);
  const locked = [];
  const loose = [];
  for (const card of KINDS) {
    const count = counts.get(card) ?? 0;
    if (count >= 3) locked.push({ cards: Array(count).fill(card), locked: true });
    else for (let i = 0; i < count; i++) loose.push(card);
  }
  const groups = order === "ranks" ? byRank(loose) : byMeld(loose);
  const columns = groups.map((cards) => ({ cards, locked: false }));
  if (order === "ranks") {
    return squeeze([...locked, ...columns].sort((a, b) => rankOf(a.cards[0]) - rankOf(b.cards[0])));
  }
  return squeeze([...locked, ...columns]);
}

function byRank(loose) {
  const groups = [];
  for (let rank = 1; rank <= 10; rank++) {
    const alike = loose.filter((card) => rankOf(card) === rank);
    if (alike.length <= COLUMN_CARDS_MAX) {
      if (alike.length) groups.push(alike);
    } else groups.push(alike.slice(0, 2), alike.slice(2));
  }
  return groups;
}

function byMeld(loose) {
  const { melds, rest } = bestMelds(loose);
  const counts = countCards(rest);
  const pairs = [];
  const singles = [];
  for (const card of KINDS) {
    const count = counts.get(card) ?? 0;
    if (count === 2) pairs.push([card, card]);
    else if (count === 1) singles.push(card);
  }
  const sorted = melds.sort((a, b) => xiOf(b) - xiOf(a) || compareCards(a[0], b[0]));
  return [...sorted, ...pairs, ...nearSingles(singles)];
}

const xiOf = (cards) => meldXi("chi", cards);

/** Single cards that may grow together stand together: the same rank in both sizes, or neighbours. */
function nearSingles(singles) {
  const groups = [];
  const left = new Set(singles);
  const join = (a, b) => {
    if (!left.has(a) || !left.has(b)) return;
    left.delete(a);
    left.delete(b);
    groups.push([a, b]);
  };
  for (const size of [false, true]) {
    for (let rank = 1; rank <= 9; rank++) join(cardOf(size, rank), cardOf(size, rank + 1));
    for (const [a, b] of [[2, 7], [7, 10], [2, 10]]) join(cardOf(size, a), cardOf(size, b));
    for (let rank = 1; rank <= 8; rank++) join(cardOf(size, rank), cardOf(size, rank + 2));
  }
  for (let rank = 1; rank <= 10; rank++) join(cardOf(false, rank), cardOf(true, rank));
  for (const card of singles) if (left.has(card)) groups.push([card]);
  return groups;
}

/** The most worthy set of complete 吃-type melds in loose cards, and what is left. */
export function bestMelds(loose) {
  const counts = KINDS.map((card) => loose.filter((other) => other === card).length);
  const at = new Map(KINDS.map((card, index) => [card, index]));
  const memo = new Map();

  const walk = (from) => {
    while (from < KINDS.length && counts[from] === 0) from++;
    if (from === KINDS.length) return { worth: 0, melds: null };
    const id = counts.join("");
    const known = memo.get(id);
    if (known) return known;
    const card = KINDS[from];
    const copies = counts[from];
    let best = null;
    const take = (cards, worth, meld) => {
      for (const other of cards) counts[at.get(other)] -= 1;
      if (cards.every((other) => counts[at.get(other)] >= 0)) {
        const below = walk(from);
        const total = below.worth + worth;
        if (!best || total > best.worth) best = { worth: total, melds: meld ? { meld, next: below.melds } : below.melds };
      }
      for (const other of cards) counts[at.get(other)] += 1;
    };
    for (const meld of eatMeldsOf(card)) take(meld, 60 + 10 * xiOf(meld), meld);
    take(Array(copies).fill(card), copies === 2 ? WORTH_PAIR : 0, null);
    if (copies === 2) take([card], -WORTH_HALF, null);
    memo.set(id, best);
    return best;
  };

  const melds = [];
  for (let node = walk(0).melds; node; node = node.next) melds.push(node.meld);
  return { melds, rest: melds.reduce((cards, meld) => dropOnce(cards, meld), [...loose]) };
}

function dropOnce(cards, meld) {
  const left = [...cards];
  for (const card of meld) left.splice(left.indexOf(card), 1);
  return left;
}

/** Join the smallest loose columns until no more than COLUMNS_MAX are left. */
function squeeze(columns) {
  const out = [...columns];
  while (out.length > COLUMNS_MAX) {
    const loose = out.filter((column) => !column.locked).sort((a, b) => a.cards.length - b.cards.length);
    const [least, ...others] = loose;
    const home = others.find((column) => column.cards.length + least.cards.length <= COLUMN_CARDS_MAX);
    if (!home) break;
    home.cards = [...home.cards, ...least.cards];
    out.splice(out.indexOf(least), 1);
  }
  return out;
}

// 息 (胡息) of melds: Rule 2.
import { countCards, isBig, rankOf } from "./cards.mjs";

const XI = {
  ti: [9, 12],
  pao: [6, 9],
  wei: [3, 6],
  chouwei: [3, 6],
  kan: [3, 6],
  peng: [1, 3],
};

/** The 息 of a meld; a hidden one (`?`) counts 0 because nobody else may know it. */
export function meldXi(kind, cards) {
  const known = cards.find((card) => card !== "?");
  if (!known) return 0;
  if (kind in XI) return XI[kind][isBig(known) ? 1 : 0];
  const ranks = cards.map(rankOf).sort((a, b) => a - b);
  const alike = new Set(cards.map((card) => card[0])).size === 1;
  const worth = alike && ["1,2,3", "2,7,10"].includes(ranks.join());
  return worth ? (isBig(known) ? 6 : 3) : 0;
}

/** The 息 of melds on the table, as far as they are known. */
export const tableXi = (melds) => melds.reduce((sum, meld) => sum + meldXi(meld.kind, meld.cards), 0);

/** The 息 of what is locked in a hand: 坎 and, before they are laid, four alike. */
export function lockedXi(hand) {
  let sum = 0;
  for (const [card, count] of countCards(hand)) {
    if (count === 3) sum += meldXi("kan", [card]);
    if (count === 4) sum += meldXi("ti", [card]);
  }
  return sum;
}

/** What a kind of meld is: `shun`, `jiao`, `jiang` for those of 吃 type and pairs, else the kind itself. */
export function shapeOf(kind, cards) {
  if (kind !== "chi") return kind;
  return new Set(cards.map((card) => card[0])).size === 1 ? "shun" : "jiao";
}

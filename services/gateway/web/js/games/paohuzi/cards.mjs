// The cards of 跑胡子 as text (docs/record-format.md): s1…s10 are 一…十, b1…b10 are 壹…拾.

const NAMES = "一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾";
const RED_RANKS = new Set([2, 7, 10]);
const CARD = /[sb](?:10|[1-9])/g;

/** All kinds, small before big, by rank. */
export const KINDS = ["s", "b"].flatMap((size) => Array.from({ length: 10 }, (_, i) => `${size}${i + 1}`));

const ORDER = new Map(KINDS.map((card, at) => [card, at]));

/** Cards of a wall (墩) after the deal. */
export const WALL_CARDS = 19;

/** What stands for a hidden card. */
export const HIDDEN = "?";

/** 1 to 10. */
export const rankOf = (card) => Number(card.slice(1));

/** 大字. */
export const isBig = (card) => card[0] === "b";

/** 红: 2, 7 and 10 of both sizes. */
export const isRed = (card) => RED_RANKS.has(rankOf(card));

/** The character printed on a card. */
export const nameOf = (card) => NAMES[ORDER.get(card)] ?? "";

/** Whether a text is a card. */
export const isCard = (text) => ORDER.has(text);

/** A card by size and rank. */
export const cardOf = (big, rank) => `${big ? "b" : "s"}${rank}`;

/** Order of the notation: small before big, then by rank. */
export const compareCards = (a, b) => ORDER.get(a) - ORDER.get(b);

/** The cards of a run-together text such as `s7s8s9`; `-` and `` are none. */
export const parseCards = (text) => text.match(CARD) ?? [];

/** Cards counted by kind. */
export function countCards(cards) {
  const counts = new Map();
  for (const card of cards) counts.set(card, (counts.get(card) ?? 0) + 1);
  return counts;
}

/** `cards` without one copy of each of `taken`; what is not there is not missed. */
export function without(cards, taken) {
  const left = [...cards];
  for (const card of taken) {
    const at = left.indexOf(card);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

/** The cards of every 吃-type meld that a card can be part of: runs, 二七十, 绞; each sorted. */
export function eatMeldsOf(card) {
  const big = isBig(card);
  const rank = rankOf(card);
  const melds = [];
  for (let low = Math.max(1, rank - 2); low <= Math.min(8, rank); low++) {
    melds.push([low, low + 1, low + 2].map((at) => cardOf(big, at)));
  }
  if (RED_RANKS.has(rank)) melds.push([2, 7, 10].map((at) => cardOf(big, at)));
  const [small, large] = [cardOf(false, rank), cardOf(true, rank)];
  melds.push([small, small, large], [small, large, large]);
  return melds;
}

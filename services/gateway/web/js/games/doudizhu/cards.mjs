// The cards of 斗地主 (docs/games/doudizhu.md): ranks only, `3 … 9 T J Q K A 2 B R`, lowest first.
// To be drawn like playing cards they get suits (suits.mjs): a card of the page is its rank and a suit, `5h`; the jokers are `B` and `R`.

/** Every rank, from the lowest. */
export const RANKS = "3456789TJQKA2BR";

const AT = new Map([...RANKS].map((rank, at) => [rank, at]));

/** Ranks that stand in chains: 3 to A. */
export const CHAIN_RANKS = 12;

/** 0 for 3 … 14 for 大王. */
export const rankAt = (card) => AT.get(card[0]);

/** The rank of a card of the page. */
export const rankOf = (card) => card[0];

/** The suit of a card of the page: `s`, `h`, `c`, `d`; empty for jokers. */
export const suitOf = (card) => card.slice(1);

/** Whether a text is one rank. */
export const isRank = (text) => text.length === 1 && AT.has(text);

/** What stands for a card that this reader may not know. */
export const HIDDEN = "?";

/** How many of each rank there are among ranks or cards. */
export function countRanks(cards) {
  const counts = Array(RANKS.length).fill(0);
  for (const card of cards) counts[rankAt(card)] += 1;
  return counts;
}

/** Counts as the one word of the notation, lowest first. */
export const wordOf = (counts) => counts.map((count, at) => RANKS[at].repeat(count)).join("");

/** The word of some cards. */
export const wordOfCards = (cards) => wordOf(countRanks(cards));

/** The ranks of a word; `-` has none. */
export const parseWord = (word) => (word === "-" ? [] : [...word]);

// Suits for cards that have none. 斗地主 is played by rank alone and the engine knows no suits, but people read French cards by them.
// Each card gets a suit when this reader first sees it, and keeps it for the round: none appears twice, a reload gives the same ones (they follow
// from the order of the events and from wishes.mjs), and nothing depends on them. Two readers may see different suits, as nobody can compare them.
import { RANKS, rankAt, rankOf } from "./cards.mjs";

const SUITS = "shcd";
const JOKERS = new Set(["B", "R"]);

/** The suits of one round. */
export class Suits {
  constructor() {
    /** Those not given yet, by rank; each rank begins with another suit, so that a hand is not all spades. */
    this.free = new Map([...RANKS].map((rank, at) => [rank, JOKERS.has(rank) ? [""] : [0, 1, 2, 3].map((step) => SUITS[(at * 3 + step) % 4])]));
  }

  /** Cards for ranks that are seen for the first time. */
  give(ranks) {
    return [...ranks].map((rank) => `${rank}${this.free.get(rank).shift()}`);
  }

  /**
   * The cards somebody lays down who holds `held` as far as is known: of each rank the known ones first (of these the `wished` ones),
   * then new ones. Returns `{cards, held}`, what lies and what is still known.
   */
  lay(ranks, held, wished = []) {
    const left = [...held].sort((a, b) => wished.includes(b) - wished.includes(a));
    const cards = [...ranks].map((rank) => {
      const at = left.findIndex((card) => rankOf(card) === rank);
      return at < 0 ? this.give(rank)[0] : left.splice(at, 1)[0];
    });
    return { cards, held: left };
  }
}

/** Highest first; of one rank in the order of the suits. */
export const sortDown = (cards) => [...cards].sort((a, b) => rankAt(b) - rankAt(a) || SUITS.indexOf(a[1]) - SUITS.indexOf(b[1]));

// Combinations and bids of 斗地主 in words.
import { t } from "../../lib/i18n.mjs";
import { RANKS } from "./cards.mjs";
import { rankPrint } from "./cardview.mjs";

const CHAINS = new Set(["solo_chain", "pair_chain", "trio_chain", "plane_solo", "plane_pair"]);

const nameOfRank = (at) => (at >= 13 ? t(`doudizhu.card.${RANKS[at]}`) : rankPrint(RANKS[at]));

/** A reading, such as `对子 9` or `顺子 3–7`. */
export function readingWords({ type, length, rank }) {
  const name = t(`doudizhu.type.${type}`);
  if (type === "rocket") return name;
  const ranks = CHAINS.has(type) ? `${nameOfRank(rank)}–${nameOfRank(rank + length - 1)}` : nameOfRank(rank);
  return `${name} ${ranks}`;
}

// What cards can be read as, and which reading beats which (docs/games/doudizhu.md, "Combinations").
import { CHAIN_RANKS, RANKS, countRanks } from "./cards.mjs";

/** Types in the order in which several readings of the same cards are preferred. */
export const TYPES = [
  "solo", "pair", "trio", "solo_chain", "pair_chain", "bomb", "rocket",
  "trio_chain", "trio_solo", "trio_pair", "four_two_solo", "four_two_pair", "plane_solo", "plane_pair",
];

const JOKERS = [13, 14];
const CHAINS = [[1, 5, "solo_chain"], [2, 3, "pair_chain"], [3, 2, "trio_chain"]];
const EQUAL = ["solo", "pair", "trio", "bomb"];

const sum = (counts) => counts.reduce((all, count) => all + count, 0);

/** Whether a rank could make a chain longer by one. */
const isBeside = (at, start, length) => length > 0 && at < CHAIN_RANKS && (at === start - 1 || at === start + length);

/** How often one rank may occur among single kickers, by the rules of the table. */
export function copiesAllowed(options, at, start, length) {
  if (!options.pair_as_two_solos) return [1];
  const trio = options.trio_in_wings && (options.adjacent_trio_wing || !isBeside(at, start, length));
  return [1, 2, ...(trio ? [3] : []), ...(options.bomb_in_kickers ? [4] : [])];
}

function allowSolos(kickers, start, length, options) {
  if (JOKERS.every((at) => kickers[at]) && !options.rocket_as_kickers) return false;
  return kickers.every((count, at) => !count || copiesAllowed(options, at, start, length).includes(count));
}

const allowPairs = (kickers, options) => kickers.every((count) => !count || count === 2 || (count === 4 && options.bomb_in_kickers));

/** Every reading of counted cards, `{type, length, rank}`, the preferred one first. `rank` is a place in RANKS. */
export function readingsOfCounts(counts, options) {
  const size = sum(counts);
  const found = [...equal(counts, size), ...chains(counts, size), ...withKickers(counts, size, options)];
  return found.sort((a, b) => TYPES.indexOf(a.type) - TYPES.indexOf(b.type) || b.length - a.length || b.rank - a.rank);
}

/** Every reading of some cards. */
export const readingsOf = (cards, options) => readingsOfCounts(countRanks(cards), options);

function equal(counts, size) {
  if (size === 2 && JOKERS.every((at) => counts[at])) return [{ type: "rocket", length: 1, rank: 14 }];
  const found = [];
  counts.forEach((count, rank) => {
    if (count && count === size) found.push({ type: EQUAL[size - 1], length: 1, rank });
    else if (count === 3 && size === 4) found.push({ type: "trio_solo", length: 1, rank });
    else if (count === 3 && size === 5 && counts.includes(2)) found.push({ type: "trio_pair", length: 1, rank });
  });
  return found;
}

function chains(counts, size) {
  for (const [copies, shortest, type] of CHAINS) {
    const start = counts.indexOf(copies);
    const length = size / copies;
    if (start < 0 || length < shortest || !Number.isInteger(length) || start + length > CHAIN_RANKS) continue;
    if (counts.slice(start, start + length).every((count) => count === copies)) return [{ type, length, rank: start }];
  }
  return [];
}

function withKickers(counts, size, options) {
  const found = [];
  if (options.four_two && (size === 6 || size === 8)) {
    counts.forEach((count, rank) => {
      if (count !== 4) return;
      const rest = counts.map((one, at) => (at === rank ? 0 : one));
      if (size === 6 && allowSolos(rest, 0, 0, options)) found.push({ type: "four_two_solo", length: 1, rank });
      if (size === 8 && allowPairs(rest, options)) found.push({ type: "four_two_pair", length: 1, rank });
    });
  }
  for (const [each, type] of [[4, "plane_solo"], [5, "plane_pair"]]) {
    const length = size / each;
    if (!Number.isInteger(length) || length < 2) continue;
    for (let start = 0; start + length <= CHAIN_RANKS; start++) {
      const inside = (at) => at >= start && at < start + length;
      if (!counts.every((count, at) => !inside(at) || count === 3)) continue;
      const rest = counts.map((count, at) => (inside(at) ? 0 : count));
      if (type === "plane_solo" ? allowSolos(rest, start, length, options) : allowPairs(rest, options)) found.push({ type, length, rank: start });
    }
  }
  return found;
}

/** Whether a reading beats another. */
export function beats(reading, over) {
  if (over.type === "rocket") return false;
  if (reading.type === "rocket") return true;
  if (reading.type === "bomb" && over.type !== "bomb") return true;
  return reading.type === over.type && reading.length === over.length && reading.rank > over.rank;
}

/** The highest of some readings that beats another, or null. */
export function bestOver(readings, over) {
  return readings.filter((reading) => beats(reading, over)).reduce((best, one) => (best && best.rank >= one.rank ? best : one), null);
}

/** The rank a reading is named by, as a letter. */
export const rankName = (reading) => RANKS[reading.rank];

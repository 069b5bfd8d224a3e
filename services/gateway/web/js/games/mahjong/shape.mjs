// Complete hands and waits, from counts of the 34 kinds.
import { BASIC, COPIES, placeOf } from "./tiles.mjs";

const KIND_COUNT = BASIC.length;
const FIRST_HONOUR = 27;

/** Counts by kind of a list of tiles without flowers. */
export function countsOf(tiles) {
  const counts = new Uint8Array(KIND_COUNT);
  for (const tile of tiles) counts[placeOf(tile)] += 1;
  return counts;
}

/** Whether the counts part into triplets and runs. Leaves them as they were. */
function allSets(counts, from) {
  let at = from;
  while (at < KIND_COUNT && !counts[at]) at += 1;
  if (at === KIND_COUNT) return true;
  let done = false;
  if (counts[at] >= 3) {
    counts[at] -= 3;
    done = allSets(counts, at);
    counts[at] += 3;
  }
  const runs = at < FIRST_HONOUR && at % 9 < 7 && counts[at + 1] && counts[at + 2];
  if (!done && runs) {
    for (const by of [0, 1, 2]) counts[at + by] -= 1;
    done = allSets(counts, at);
    for (const by of [0, 1, 2]) counts[at + by] += 1;
  }
  return done;
}

/** Whether the counts are sets and one pair. */
export function isStandard(counts) {
  let total = 0;
  for (const count of counts) total += count;
  if (total % 3 !== 2) return false;
  for (let at = 0; at < KIND_COUNT; at++) {
    if (counts[at] < 2) continue;
    counts[at] -= 2;
    const done = allSets(counts, 0);
    counts[at] += 2;
    if (done) return true;
  }
  return false;
}

/** Whether the counts are seven pairs; four equal tiles are two. */
export function isSevenPairs(counts) {
  let total = 0;
  for (const count of counts) {
    if (count % 2) return false;
    total += count;
  }
  return total === 14;
}

/** Kinds that can complete anything with these counts: neighbours of what is held. */
function near(counts, at) {
  if (counts[at]) return true;
  if (at >= FIRST_HONOUR) return false;
  const rank = at % 9;
  return [-2, -1, 1, 2].some((by) => rank + by >= 0 && rank + by < 9 && counts[at + by]);
}

/**
 * The tiles that complete a hand, in the fixed order. `isWin(counts)` says what is complete; `full` are tiles of which
 * the seat owns all four already.
 */
export function completing(tiles, isWin, full = new Set()) {
  const counts = countsOf(tiles);
  return BASIC.filter((tile, at) => {
    if (full.has(tile) || counts[at] >= COPIES || !near(counts, at)) return false;
    counts[at] += 1;
    const done = isWin(counts);
    counts[at] -= 1;
    return done;
  });
}

/** Tiles of which the seat owns all four, by hand and melds. */
export function owned(tiles, melds) {
  const counts = new Map();
  for (const tile of [...tiles, ...melds.flatMap((meld) => meld.tiles)]) counts.set(tile, (counts.get(tile) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= COPIES).map(([tile]) => tile));
}

/** How many copies of a tile the listener has not seen yet, of all he `sees`. */
export function leftOf(tile, sees) {
  let left = COPIES;
  for (const one of sees) if (one === tile) left -= 1;
  return Math.max(0, left);
}

// What a hand of 清混碰 is worth, and what it waits for (docs/games/qinghunpeng.md § The score).
import { completing, countsOf, isStandard, leftOf, owned } from "../mahjong/shape.mjs";
import { BASIC, without } from "../mahjong/tiles.mjs";

const DRAGONS = new Set(["z5", "z6", "z7"]);
const KONGS = new Set(["an", "bu", "ming"]);
const isHonour = (tile) => tile[0] === "z";
const honourFlowers = (tile) => (DRAGONS.has(tile) ? 2 : 1);

/** Whether triplets and one pair are all there is, and no run lies. */
function isAllPungs(counts, melds) {
  let pairs = 0;
  for (const count of counts) {
    if (count === 2) pairs += 1;
    else if (count % 3) return false;
  }
  return pairs === 1 && melds.every((meld) => meld.kind !== "chi");
}

/** Flowers that a formula row counts: tiles, honour triplets, kongs. */
function flowersOf(counts, melds, exposed) {
  let total = exposed;
  BASIC.forEach((tile, at) => {
    if (isHonour(tile) && counts[at] === 3) total += honourFlowers(tile);
  });
  for (const { kind, tile } of melds) {
    if (isHonour(tile)) total += honourFlowers(tile);
    if (KONGS.has(kind)) total += kind === "an" ? 2 : 1;
  }
  return total;
}

/** The patterns that a hand can be read as, with their points, all pungs first; none if it is no hand at all. */
function rowsOf(options, counts, melds, exposed) {
  const tiles = [...BASIC.filter((_, at) => counts[at]), ...melds.map((meld) => meld.tile)];
  const suits = new Set(tiles.filter((tile) => !isHonour(tile)).map((tile) => tile[0])).size;
  const isComplete = isStandard(counts);
  if (!isComplete && suits) return [];
  const fixed = (name) => options.lezi * options[`fixed_${name}`];
  if (!suits) return [isComplete ? ["字碰", fixed("zipeng")] : ["乱风向", fixed("luanfengxiang")]];
  const formula = Math.min(options.lezi, options.formula_base + flowersOf(counts, melds, exposed));
  const isPungs = isAllPungs(counts, melds);
  if (suits > 1) return [isPungs ? ["碰碰胡", formula] : ["平胡", 0]];
  const isMixed = tiles.some(isHonour);
  const pungs = isMixed ? ["混碰", fixed("hunpeng")] : ["清碰", fixed("qingpeng")];
  const plain = isMixed ? ["混一色", formula] : ["清一色", fixed("qingyise")];
  if (!isPungs) return [plain];
  return hasRun(counts) ? [pungs, plain] : [pungs];
}

/** Whether three triplets in a row could be read as runs too. */
function hasRun(counts) {
  for (let at = 0; at < 25; at++) if (at % 9 < 7 && counts[at] >= 3 && counts[at + 1] >= 3 && counts[at + 2] >= 3) return true;
  return false;
}

/**
 * What a complete hand is worth: `{name, points, selfOnly}`, or null if it may not win at all. Names of the moment are left
 * out, as nobody can know them before.
 */
export function worthOf(options, counts, melds, exposed, times, isPaired) {
  const isHanging = melds.length === 4 && isPaired && (options.dadiaoche_angang || melds.every((meld) => meld.kind !== "an"));
  const mayStart = isHanging && (options.extra_can_start === "dadiaoche" || options.extra_can_start === "both");
  const extra = isHanging ? options.lezi * options.floor_dadiaoche : 0;
  const capped = (points) => (options.cap ? Math.min(options.cap, points) : points);
  let best = null;
  for (const [name, row] of rowsOf(options, counts, melds, exposed)) {
    if (name === "平胡" && !mayStart) continue;
    const base = capped(options.stack === "add" ? row + extra : Math.max(row, extra));
    if (!best || base > best.base) best = { name, base };
  }
  return best && { name: best.name, points: capped(best.base * times), selfOnly: best.base < options.min_ron };
}

/** The waits of 13 tiles, melds counted as three: `[{tile, name, points, selfOnly}]`. */
export function waitsOf(hand, melds, { options, exposed = 0, times = 1 }) {
  const found = [];
  const full = owned(hand, melds);
  const isShape = (counts) => isStandard(counts) || isHonoursOnly(counts, melds);
  const tiles = isHonoursOnly(countsOf(hand), melds) ? BASIC.filter((tile) => isHonour(tile) && !full.has(tile)) : completing(hand, isShape, full);
  for (const tile of tiles) {
    const counts = countsOf([...hand, tile]);
    const worth = worthOf(options, counts, melds, exposed, times, hand.length === 1 && hand[0] === tile);
    if (worth) found.push({ tile, ...worth });
  }
  return found;
}

const isHonoursOnly = (counts, melds) => counts.every((count, at) => !count || isHonour(BASIC[at])) && melds.every((meld) => isHonour(meld.tile));

/** The waits of the own hand, now or after a discard: `[{tile, left, worth, selfOnly}]`. */
export function ownWaits(round, discard = "") {
  if (round.seat < 0 || !round.dealt) return [];
  const hand = discard ? without(round.hand, [discard]) : round.hand;
  if (hand.length % 3 !== 1 || hand.some((tile) => tile[0] === "f")) return [];
  const shown = round.shown && !round.end ? [round.shown.tile] : [];
  const sees = [...round.hand, ...shown, ...round.rivers.flat(), ...round.melds.flat().flatMap((meld) => meld.tiles)];
  const { options, times } = round;
  const waits = waitsOf(hand, round.melds[round.seat], { options, exposed: round.flowers[round.seat].length, times });
  return waits.map(({ tile, points, selfOnly }) => ({ tile, left: leftOf(tile, sees), worth: points, selfOnly }));
}

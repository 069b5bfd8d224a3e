// Every legal play of a hand, and what is wrong with cards that are none: the question `play*` leaves both to its reader.
import { CHAIN_RANKS, RANKS, countRanks, wordOf } from "./cards.mjs";
import { bestOver, copiesAllowed, readingsOfCounts } from "./readings.mjs";

/** The most cards of one play. */
export const PLAY_CARDS_MAX = 20;

const EMPTY = Array(RANKS.length).fill(0);

const plus = (a, b) => a.map((count, at) => count + b[at]);

function some(pairs) {
  const counts = [...EMPTY];
  for (const [at, copies] of pairs) counts[at] += copies;
  return counts;
}

/** Every way to take `size` from `options` (`[unit, how many of it may be taken]` by rank), as counts. */
function choices(options, size, at = 0) {
  if (size === 0) return [EMPTY];
  if (at === options.length) return [];
  const [rank, unit, takes] = options[at];
  const found = choices(options, size, at + 1);
  for (const take of takes) {
    if (take > size) continue;
    for (const rest of choices(options, size - take, at + 1)) found.push(plus(rest, some([[rank, unit * take]])));
  }
  return found;
}

function soloWings(rest, size, start, length, rules) {
  const options = [];
  rest.forEach((has, at) => {
    const takes = copiesAllowed(rules, at, start, length).filter((copies) => copies <= has);
    if (takes.length) options.push([at, 1, takes]);
  });
  return choices(options, size).filter((wing) => rules.rocket_as_kickers || !(wing[13] && wing[14]));
}

function pairWings(rest, pairs, rules) {
  const options = [];
  rest.forEach((has, at) => {
    if (has >= 2) options.push([at, 2, has === 4 && rules.bomb_in_kickers ? [1, 2] : [1]]);
  });
  return choices(options, pairs);
}

/** Sets of cards of one type in a hand; those of other lengths are left out when a length is given. */
const MAKERS = {
  solo: (hand) => equals(hand, 1),
  pair: (hand) => equals(hand, 2),
  trio: (hand) => equals(hand, 3),
  bomb: (hand) => equals(hand, 4),
  rocket: (hand) => (hand[13] && hand[14] ? [some([[13, 1], [14, 1]])] : []),
  solo_chain: (hand, length) => chainsOf(hand, 1, 5, length),
  pair_chain: (hand, length) => chainsOf(hand, 2, 3, length),
  trio_chain: (hand, length) => chainsOf(hand, 3, 2, length),
  trio_solo: (hand) => bodies(hand, 3).flatMap((at) => others(hand, at, 1)),
  trio_pair: (hand) => bodies(hand, 3).flatMap((at) => others(hand, at, 2)),
  four_two_solo: (hand, _, rules) => fours(hand, rules, (rest) => soloWings(rest, 2, 0, 0, rules)),
  four_two_pair: (hand, _, rules) => fours(hand, rules, (rest) => pairWings(rest, 2, rules)),
  plane_solo: (hand, length, rules) => planes(hand, length, 4, (rest, start, n) => soloWings(rest, n, start, n, rules)),
  plane_pair: (hand, length, rules) => planes(hand, length, 5, (rest, start, n) => pairWings(rest, n, rules)),
};

const bodies = (hand, copies) => hand.flatMap((has, at) => (has >= copies ? [at] : []));
const equals = (hand, copies) => bodies(hand, copies).map((at) => some([[at, copies]]));
const others = (hand, body, copies) =>
  bodies(hand, copies).filter((at) => at !== body).map((at) => some([[body, 3], [at, copies]]));

function fours(hand, rules, wings) {
  if (!rules.four_two) return [];
  return bodies(hand, 4).flatMap((at) => {
    const rest = hand.map((has, rank) => (rank === at ? 0 : has));
    return wings(rest).map((wing) => plus(wing, some([[at, 4]])));
  });
}

/** Starts and lengths of the chains in a hand. */
function runs(hand, copies, shortest, length) {
  const found = [];
  for (let start = 0; start < CHAIN_RANKS; start++) {
    for (let n = 1; start + n <= CHAIN_RANKS && hand[start + n - 1] >= copies; n++) {
      if (n >= shortest && n * copies <= PLAY_CARDS_MAX && (!length || n === length)) found.push([start, n]);
    }
  }
  return found;
}

const body = (start, n, copies) => some(Array.from({ length: n }, (_, at) => [start + at, copies]));
const chainsOf = (hand, copies, shortest, length) => runs(hand, copies, shortest, length).map(([start, n]) => body(start, n, copies));

function planes(hand, length, each, wings) {
  return runs(hand, 3, 2, length).filter(([, n]) => n * each <= PLAY_CARDS_MAX).flatMap(([start, n]) => {
    const rest = hand.map((has, at) => (at >= start && at < start + n ? 0 : has));
    return wings(rest, start, n).map((wing) => plus(wing, body(start, n, 3)));
  });
}

/**
 * Every legal play of a hand (ranks or cards), `[{action, word, reading}]`, each once, in no special order.
 *
 * `over` is the reading to beat, or null for a lead; `rules` the options of the table.
 */
export function playsOf(hand, over, rules) {
  const counts = countRanks(hand);
  const words = new Map();
  const make = (type, length) => {
    for (const cards of MAKERS[type](counts, length, rules)) words.set(wordOf(cards), cards);
  };
  if (over === null) for (const type of Object.keys(MAKERS)) make(type, 0);
  else if (over.type !== "rocket") {
    make(over.type, over.length);
    make("bomb", 0);
    make("rocket", 0);
  }
  const plays = [];
  for (const [word, cards] of words) plays.push(...ways(word, readingsOfCounts(cards, rules), over));
  return plays;
}

/** The actions that play some cards: one, or for a lead with several types one each; none if they cannot be played. */
function ways(word, readings, over) {
  if (over !== null) {
    const reading = bestOver(readings, over);
    return reading ? [{ action: `play ${word}`, word, reading }] : [];
  }
  const [first] = readings;
  if (!first) return [];
  const firsts = readings.filter((one, at) => readings.findIndex((other) => other.type === one.type) === at);
  return firsts.map((reading) => ({ action: `play ${word}${reading === first ? "" : ` as ${reading.type}`}`, word, reading }));
}

/**
 * What may be done with chosen cards: `{ways, reason}`. `ways` are the plays they can be (see `playsOf`); if there are none, `reason` is
 * `none` (no card), `shape` (no combination at all), `type` (another combination is asked for), `length` (of another length), `low`.
 */
export function judge(chosen, over, rules) {
  if (!chosen.length) return { ways: [], reason: "none" };
  const counts = countRanks(chosen);
  const readings = chosen.length > PLAY_CARDS_MAX ? [] : readingsOfCounts(counts, rules);
  if (!readings.length) return { ways: [], reason: "shape" };
  const found = ways(wordOf(counts), readings, over);
  if (found.length) return { ways: found, reason: "" };
  const alike = readings.filter((one) => one.type === over.type);
  if (!alike.length) return { ways: [], reason: readings[0].type === "bomb" ? "low" : "type" };
  return { ways: [], reason: alike.some((one) => one.length === over.length) ? "low" : "length" };
}

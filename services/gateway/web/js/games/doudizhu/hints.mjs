// Which plays 提示 offers, the most sparing first.
import { countRanks } from "./cards.mjs";
import { playsOf } from "./plays.mjs";

const BOMB_COST = 4_000;
const ROCKET_COST = 8_000;
const FOUR_COST = 2_000;
const BREAK_COST = 60;
const BREAK_BOMB_COST = 900;
const HIGH_CARDS = 3;

/** How dear a play is: what it breaks, how high it is, and above all whether it is a bomb. */
function costOf(play, counts, leads) {
  const used = countRanks([...play.word]);
  let cost = play.reading.rank * 10;
  for (const [at, count] of used.entries()) cost += (count * at * at) / HIGH_CARDS;
  used.forEach((count, at) => {
    if (!count) return;
    const left = counts[at] - count;
    if (left) cost += counts[at] === 4 ? BREAK_BOMB_COST : BREAK_COST * left;
    if (at >= 12) cost += 40;
  });
  if (used[13] !== used[14] && counts[13] && counts[14]) cost += BREAK_BOMB_COST;
  if (play.reading.type === "bomb") cost += BOMB_COST;
  if (play.reading.type === "rocket") cost += ROCKET_COST;
  if (play.reading.type.startsWith("four_two")) cost += FOUR_COST;
  // A lead wants to be rid of many cards at once.
  return leads ? cost - 45 * play.word.length : cost;
}

/** Every legal play of a hand in the order in which it is offered. */
export function hintsOf(hand, over, rules) {
  const counts = countRanks(hand);
  return playsOf(hand, over, rules)
    .filter((play) => !play.action.includes(" as "))
    .map((play) => ({ ...play, cost: costOf(play, counts, over === null) }))
    .sort((a, b) => a.cost - b.cost || (a.action < b.action ? -1 : 1));
}

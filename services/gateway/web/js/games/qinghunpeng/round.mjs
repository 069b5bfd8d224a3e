// One round of 清混碰 as its listener may know it: the fold of the event texts (docs/games/qinghunpeng.md).
// It is the same fold as the engine's own; a test plays rounds and compares them.
import { MahjongRound, stepOf } from "../mahjong/round.mjs";
import { HIDDEN, compareTiles, isFlower, parseTiles } from "../mahjong/tiles.mjs";

const SEATS = 4;
const DECK_TILES = 144;

/** Adds up event texts of 清混碰. */
export class QinghunpengRound extends MahjongRound {
  constructor() {
    super({ seats: SEATS, deckTiles: DECK_TILES, steps: STEPS, first: "open" });
    /** 2 in a round that 荒番 doubles. */
    this.times = 1;
    /** Exposed flowers, by seat. */
    this.flowers = Array.from({ length: SEATS }, () => []);
    /** 过水: kinds that may not be won on another's tile until the next draw. */
    this.passed = [];
  }

  isFromTail([end]) {
    return end !== "head";
  }

  /** Tiles that may be drawn: the last ones of the wall may be out of play. */
  get free() {
    return Math.max(0, this.wallLeft - (this.options.dead_wall ?? 0));
  }
}

/** The three tiles of a run, by its lowest. */
export const runOf = (low) => [0, 1, 2].map((by) => `${low[0]}${Number(low[1]) + by}`);

const STEPS = {
  open(round, dealer, [preset, options, times]) {
    round.dealer = dealer;
    round.turn = dealer;
    round.preset = preset;
    round.options = JSON.parse(options);
    round.times = Number(times);
  },
  deal(round, dealer, words) {
    round.dealHands(words);
  },
  draw(round, seat, words) {
    const { drawn } = round;
    stepOf("draw")(round, seat, words);
    if (!round.isOwn(seat)) return;
    round.passed = [];
    if (isFlower(words[0])) round.drawn = drawn;
  },
  /** A tile for an initial flower: it is no draw, and nobody's turn begins. */
  supply(round, seat, words) {
    const { turn, drawn } = round;
    stepOf("draw")(round, seat, words);
    round.turn = turn;
    round.drawn = drawn;
    if (round.isOwn(seat)) round.passed = [];
  },
  flower(round, seat, [tile]) {
    round.flowers[seat] = [...round.flowers[seat], tile];
    round.counts[seat] -= 1;
    if (round.isOwn(seat)) round.hand = round.hand.filter((one) => one !== tile);
  },
  chi(round, seat, [low, from, taken]) {
    const run = runOf(low);
    round.leave(seat, run.filter((tile) => tile !== taken));
    round.lay(seat, "chi", [taken, ...run.filter((tile) => tile !== taken)], Number(from));
    const [meld] = round.melds[seat].slice(-1);
    round.melds[seat] = [...round.melds[seat].slice(0, -1), { ...meld, tile: low }];
  },
  hu(round, seat, [how, from, tile, points, flowers, names, ...sets]) {
    const named = names.split(",").map((one) => one.split("="));
    round.wins = [
      ...round.wins,
      { seat, how, from: Number(from), tile, points: Number(points), flowers: Number(flowers), names: named.map(([name, value]) => [name, Number(value)]), sets: sets.map(parseTiles) },
    ];
  },
  show(round, seat, [hand]) {
    round.hands ??= Array.from({ length: SEATS }, () => []);
    round.hands[seat] = parseTiles(hand).sort(compareTiles);
  },
  mark(round, seat, [tile]) {
    if (tile !== HIDDEN && !round.passed.includes(tile)) round.passed = [...round.passed, tile];
  },
};

// One round of 卡五星 as its listener may know it: the fold of the event texts (docs/games/kawuxing.md).
// It is the same fold as the engine's own; a test plays rounds and compares them.
import { MahjongRound, stepOf } from "../mahjong/round.mjs";
import { countTiles, parseTiles, without, copies } from "../mahjong/tiles.mjs";

const SEATS = 3;
const DECK_TILES = 84;
const SUITS = "ps";

/** Adds up event texts of 卡五星. */
export class KawuxingRound extends MahjongRound {
  constructor() {
    super({ seats: SEATS, deckTiles: DECK_TILES, steps: STEPS, first: "open" });
    /** Points of one 番. */
    this.stake = 0;
    this.dice = [];
    /** By seat null or `{tiles, hidden, waits}`. */
    this.revealed = Array(SEATS).fill(null);
    this.revealOrder = [];
    this.kou = [];
    this.piao = Array(SEATS).fill(0);
    this.passed = { tiles: [], fan: 0 };
    this.ma = [];
    /** Whether the next draw replaces a kong. */
    this.owesReplacement = false;
  }

  isFromTail() {
    return this.owesReplacement && this.options.replacement_from_tail === true;
  }

  /** Every table shuffles 筒 and 条; with other `suits` they are renamed. */
  deckName(tile) {
    const at = (this.options.suits ?? SUITS).indexOf(tile[0]);
    return at < 0 ? tile : SUITS[at] + tile[1];
  }

  dealtTo(wall, seat) {
    const suits = this.options.suits ?? SUITS;
    const renamed = (tile) => (SUITS.includes(tile[0]) ? suits[SUITS.indexOf(tile[0])] + tile[1] : tile);
    return super.dealtTo(wall, seat).map(renamed);
  }

  /** Tiles that another revealed seat waits for. */
  get dangerous() {
    return new Set(this.revealed.flatMap((one, at) => (one && at !== this.seat ? one.waits : [])));
  }
}

/** A kong took three or four tiles out of what a revealed seat shows or hides. */
function kongedRevealed(round, seat, tile) {
  const seen = round.revealed[seat];
  if (!seen) return;
  const isShown = (countTiles(seen.tiles).get(tile) ?? 0) >= 3;
  const now = isShown ? { ...seen, tiles: without(seen.tiles, copies(tile, 3)) } : { ...seen, hidden: seen.hidden - 3 };
  if (!isShown && round.isOwn(seat)) round.kou = round.kou.filter((one) => one !== tile);
  round.revealed = round.revealed.map((one, at) => (at === seat ? now : one));
}

const STEPS = {
  open(round, dealer, [preset, options, stake]) {
    round.dealer = dealer;
    round.turn = dealer;
    round.preset = preset;
    round.options = JSON.parse(options);
    round.stake = Number(stake);
    if (round.options.piao_max) round.piao = Array(SEATS).fill(-1);
  },
  dice(round, seat, words) {
    round.dice = words.map(Number);
  },
  piao(round, seat, [points]) {
    round.piao[seat] = Number(points);
  },
  deal(round, dealer, words) {
    round.dealHands(words);
  },
  draw(round, seat, words) {
    stepOf("draw")(round, seat, words);
    round.owesReplacement = false;
    if (round.isOwn(seat)) round.passed = { tiles: [], fan: 0 };
  },
  gang(round, seat, words) {
    stepOf("gang")(round, seat, words);
    round.owesReplacement = true;
    if (words[0] !== "bu") kongedRevealed(round, seat, words[1]);
  },
  liang(round, seat, [tiles, kou, waits]) {
    const hidden = kou === "-" ? 0 : kou.startsWith("?") ? Number(kou.slice(1)) : parseTiles(kou).length;
    if (round.isOwn(seat)) round.kou = parseTiles(kou);
    const now = { tiles: parseTiles(tiles), hidden: 3 * hidden, waits: parseTiles(waits) };
    round.revealed = round.revealed.map((one, at) => (at === seat ? now : one));
    round.revealOrder = [...round.revealOrder, seat];
  },
  waits(round, seat, waits) {
    round.revealed = round.revealed.map((one, at) => (at === seat ? { ...one, waits } : one));
  },
  hu(round, seat, [how, from, tile, fan, kan, names, ...sets]) {
    const named = names.split(",").map((one) => one.split("="));
    round.wins = [
      ...round.wins,
      { seat, how, from: Number(from), tile, fan: Number(fan), kan: Number(kan), names: named.map(([name, value]) => [name, Number(value)]), sets: sets.map(parseTiles) },
    ];
  },
  ma(round, seat, tiles) {
    round.ma = tiles;
  },
  answer(round, seat, [verb, value]) {
    round.legal = [];
    if (verb === "piao") round.piao[seat] = Number(value);
  },
  mark(round, seat, [what, value]) {
    if (what === "tile") {
      if (!round.passed.tiles.includes(value)) round.passed = { ...round.passed, tiles: [...round.passed.tiles, value] };
    } else round.passed = { ...round.passed, fan: Number(value) };
  },
};

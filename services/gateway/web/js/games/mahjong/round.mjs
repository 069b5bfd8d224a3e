// What every mahjong round has: hands, melds, rivers, a wall, a tile on offer, questions. A game adds its own events.
import { HIDDEN, compareTiles, copies, parseTiles, without } from "./tiles.mjs";

const DEALT_EACH = 13;

const sorted = (tiles) => [...tiles].sort(compareTiles);
const zeros = (seats) => Array(seats).fill(0);
const lists = (seats) => Array.from({ length: seats }, () => []);

/** Adds up event texts. Its fields are the state; nothing outside changes them. */
export class MahjongRound {
  /**
   * `steps` are the events of the game: name → `(round, seat, words)`; `first` is the one a round begins with. Of the
   * `deckTiles` the first ones are dealt, the others are drawn from the front or the end.
   */
  constructor({ seats, deckTiles, steps, first }) {
    this.stepOf = { ...STEPS, ...steps };
    this.first = first;
    this.deckTiles = deckTiles;
    this.begun = false;
    this.seatCount = seats;
    this.dealt = false;
    this.seat = -1;
    this.dealer = -1;
    this.preset = "";
    this.options = {};
    this.hand = [];
    /** The tile just drawn while the question about it is open, or "". */
    this.drawn = "";
    this.counts = zeros(seats);
    /** By seat: `{kind, tile, tiles, from}`; `from` is the seat whose tile it was, or -1. */
    this.melds = lists(seats);
    this.rivers = lists(seats);
    this.wallLeft = deckTiles;
    /** The tile on offer: `{tile, seat, how}`; how is `discard` or `bu`. After the end the won one. */
    this.shown = null;
    /** The seat whose river got the newest tile, or -1. */
    this.lastRiver = -1;
    this.turn = -1;
    this.points = zeros(seats);
    /** Every payment so far: `{from, to, points, why}`. */
    this.pays = [];
    this.legal = [];
    this.hands = null;
    this.wins = [];
    this.end = null;
    this.ownDeal = [];
    /** What this listener saw of the wall: `[place in the shuffled deck, tile]`. */
    this.seen = [];
    this.headDrawn = 0;
    this.tailDrawn = 0;
    this.steps = 0;
  }

  /** Take the next event text; returns `{kind, seat, words}` for those who show it. Throws on what is no event. */
  add(text) {
    const [kind, seatWord, ...words] = text.split(" ");
    const step = Object.hasOwn(this.stepOf, kind) ? this.stepOf[kind] : null;
    if (!step || this.begun === (kind === this.first)) throw new Error(`no event can be: ${text}`);
    this.begun = true;
    const seat = Number(seatWord);
    step(this, seat, words);
    this.steps += 1;
    return { kind, seat, words };
  }

  isOwn(seat) {
    return seat === this.seat && this.seat >= 0;
  }

  /** Tiles leave a hand; of another's hand only their number is known. */
  leave(seat, tiles) {
    this.counts[seat] -= tiles.length;
    if (!this.isOwn(seat)) return;
    this.hand = without(this.hand, tiles);
    this.drawn = "";
  }

  lay(seat, kind, tiles, from = -1) {
    const meld = { kind, tile: tiles[0], tiles, from };
    this.melds[seat] = [...this.melds[seat], meld];
    this.lastRiver = -1;
    this.shown = null;
    this.turn = seat;
  }

  /** The tiles of a shuffled deck that a seat is dealt: three times four, then one, from the dealer on. */
  dealtTo(wall, seat) {
    const turn = (seat - this.dealer + this.seatCount) % this.seatCount;
    const block = 4 * this.seatCount;
    const fours = [0, 1, 2].flatMap((time) => wall.slice(time * block + 4 * turn, time * block + 4 * turn + 4));
    return [...fours, wall[3 * block + turn]];
  }

  /** Whether the next draw comes from the end of the wall. */
  isFromTail() {
    return false;
  }

  /** A tile as the shuffled deck calls it. */
  deckName(tile) {
    return tile;
  }

  /** Deal the hands of a `deal` event. */
  dealHands(words) {
    words.forEach((word, at) => {
      if (word.startsWith(HIDDEN)) {
        this.counts[at] = Number(word.slice(1));
        return;
      }
      this.seat = at;
      this.hand = parseTiles(word);
      this.ownDeal = [...this.hand];
      this.counts[at] = this.hand.length;
    });
    this.wallLeft -= this.counts.reduce((sum, count) => sum + count, 0);
    this.dealt = true;
  }
}

const STEPS = {
  draw(round, seat, [tile, ...more]) {
    const isTail = round.isFromTail(more);
    const place = isTail ? round.deckTiles - 1 - round.tailDrawn : DEALT_EACH * round.seatCount + round.headDrawn;
    round[isTail ? "tailDrawn" : "headDrawn"] += 1;
    if (tile !== HIDDEN) round.seen.push([place, round.deckName(tile)]);
    round.wallLeft -= 1;
    round.counts[seat] += 1;
    round.turn = seat;
    if (round.isOwn(seat)) {
      round.hand = sorted([...round.hand, tile]);
      round.drawn = tile;
    }
  },
  discard(round, seat, [tile]) {
    round.leave(seat, [tile]);
    round.shown = { tile, seat, how: "discard" };
  },
  river(round, seat, [tile]) {
    round.rivers[seat] = [...round.rivers[seat], tile];
    round.lastRiver = seat;
    round.shown = null;
  },
  peng(round, seat, [tile]) {
    const from = round.shown?.seat ?? -1;
    round.leave(seat, copies(tile, 2));
    round.lay(seat, "peng", copies(tile, 3), from);
  },
  bu(round, seat, [tile]) {
    round.leave(seat, [tile]);
    round.shown = { tile, seat, how: "bu" };
  },
  gang(round, seat, [kind, tile, from = "-1"]) {
    if (kind === "bu") {
      round.melds[seat] = round.melds[seat].map((meld) => (meld.kind === "peng" && meld.tile === tile ? { ...meld, kind: "bu", tiles: copies(tile, 4) } : meld));
      round.shown = null;
      round.turn = seat;
      return;
    }
    round.leave(seat, copies(tile, kind === "an" ? 4 : 3));
    round.lay(seat, kind, copies(tile, 4), Number(from));
  },
  pay(round, seat, [payee, points, why]) {
    round.points[seat] -= Number(points);
    round.points[Number(payee)] += Number(points);
    round.pays = [...round.pays, { from: seat, to: Number(payee), points: Number(points), why }];
  },
  show(round, seat, [hand]) {
    round.hands ??= lists(round.seatCount);
    round.hands[seat] = parseTiles(hand);
  },
  end(round, winner, [how, ...points]) {
    round.drawn = "";
    round.end = { how, winner, points: points.map(Number) };
  },
  ask(round, seat, words) {
    round.seat = seat;
    round.legal = words.join(" ").split(" | ");
  },
  answer(round) {
    round.legal = [];
  },
  withdrawn(round) {
    round.legal = [];
  },
};

/** The step of an event that every mahjong game has, for a game that adds to it. */
export const stepOf = (kind) => STEPS[kind];

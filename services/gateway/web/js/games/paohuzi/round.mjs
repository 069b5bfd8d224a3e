// One round of 跑胡子 as its listener may know it: the fold of the event texts (docs/notation.md).
// It is the same fold as the engine's own; a test plays rounds and compares them.
import { HIDDEN, compareCards, parseCards, without } from "./cards.mjs";
import { lockedXi, tableXi } from "./huxi.mjs";

const SEATS = 3;
const DECK_CARDS = 80;
const DEALT_EACH = 20;
const FIRST_DRAW = 61;

const sizeOf = (kind) => (kind === "ti" || kind === "pao" ? 4 : 3);
const alike = (card, count) => Array(count).fill(card);

/** Adds up event texts. Its fields are the state; nothing outside changes them. */
export class Round {
  constructor() {
    this.dealt = false;
    this.seat = -1;
    this.dealer = -1;
    this.preset = "";
    this.options = {};
    this.hand = [];
    this.counts = [0, 0, 0];
    this.melds = [[], [], []];
    this.rivers = [[], [], []];
    this.wallLeft = 0;
    /** The card on offer: `{card, seat, how}`; how is `draw`, `discard` or `liang`. */
    this.shown = null;
    this.turn = -1;
    this.dead = [false, false, false];
    /** Cards that may not be eaten (or 碰) any more, and the declined 胡. */
    this.marks = { own: new Set(), peng: new Set(), chi: new Set(), hu: new Map() };
    this.legal = [];
    this.hands = null;
    this.win = null;
    this.end = null;
    /** What was dealt to this seat, and every card of the wall that it saw: `[place in the shuffled deck, card]`. */
    this.ownDeal = [];
    this.seen = [];
    this.drawn = 0;
    this.steps = 0;
  }

  /** Take the next event text; returns `{kind, seat, …}` for those who show it. Throws on what is no event. */
  add(text) {
    const [kind, seatWord, ...words] = text.split(" ");
    const step = STEPS[kind];
    if (!step || (!this.dealt && kind !== "deal")) throw new Error(`no event can be: ${text}`);
    const seat = Number(seatWord);
    const more = step(this, seat, words, text) ?? {};
    this.steps += 1;
    return { kind, seat, words, ...more };
  }

  take(seat, cards, count) {
    this.counts[seat] -= count;
    if (seat === this.seat) this.hand = without(this.hand, cards);
  }

  lay(seat, kind, cards, at = -1) {
    const meld = { kind, cards: cards.length ? cards : alike(HIDDEN, sizeOf(kind)) };
    if (at < 0) this.melds[seat] = [...this.melds[seat], meld];
    else this.melds[seat] = this.melds[seat].map((old, place) => (place === at ? meld : old));
    this.turn = seat;
    this.shown = null;
  }

  fromWall(card) {
    this.wallLeft -= 1;
    if (card !== HIDDEN) this.seen.push([FIRST_DRAW + this.drawn, card]);
    this.drawn += 1;
  }

  /** 息 of a seat's melds as far as this listener knows them. */
  tableXi(seat) {
    return tableXi(this.melds[seat]);
  }

  /** The cards of a shuffled deck that a seat is dealt. */
  dealtTo(wall, seat) {
    const turn = (seat - this.dealer + SEATS) % SEATS;
    return wall.slice(turn * DEALT_EACH, (turn + 1) * DEALT_EACH);
  }

  /** 息 the own seat is sure of: melds and what is locked in hand. */
  get ownXi() {
    return this.seat < 0 ? 0 : this.tableXi(this.seat) + lockedXi(this.hand);
  }

  /** Cards that this seat may not eat any more. */
  isDead(card) {
    const { own, peng, chi } = this.marks;
    return own.has(card) || chi.has(card) || (peng.has(card) && this.options.dead_peng_blocks_chi !== false);
  }
}

const STEPS = {
  deal(round, dealer, words) {
    const [preset, options, ...hands] = words;
    const own = hands.findIndex((word) => !word.startsWith(HIDDEN));
    round.dealt = true;
    round.seat = own;
    round.dealer = dealer;
    round.preset = preset;
    round.options = JSON.parse(options);
    round.hand = own < 0 ? [] : parseCards(hands[own]);
    round.ownDeal = [...round.hand];
    round.counts = hands.map((word, at) => (at === own ? round.hand.length : Number(word.slice(1))));
    round.wallLeft = DECK_CARDS - round.counts.reduce((sum, count) => sum + count, 0);
    round.turn = dealer;
    if (hands.length !== SEATS) throw new Error("a round has three hands");
  },
  liang(round, seat, [card]) {
    round.counts[seat] += 1;
    if (seat === round.seat) round.hand = [...round.hand, card].sort(compareCards);
    round.wallLeft -= 1;
    round.seen.push([SEATS * DEALT_EACH, card]);
    round.shown = { card, seat, how: "liang" };
  },
  ti(round, seat, [card, how, at]) {
    const cards = card === HIDDEN ? [] : alike(card, 4);
    if (how !== "wei") {
      const count = how === "hand" ? 4 : 3;
      round.take(seat, cards.slice(0, count), count);
    }
    if (how !== "hand") round.fromWall(card);
    const turn = round.turn;
    round.lay(seat, "ti", cards, how === "wei" ? Number(at) : -1);
    if (how === "hand") round.turn = turn;
    return { card };
  },
  wei(round, seat, [card]) {
    round.take(seat, card === HIDDEN ? [] : alike(card, 2), 2);
    round.fromWall(card);
    round.lay(seat, "wei", card === HIDDEN ? [] : alike(card, 3));
  },
  chouwei(round, seat, [card]) {
    round.take(seat, alike(card, 2), 2);
    round.fromWall(card);
    round.lay(seat, "chouwei", alike(card, 3));
  },
  pao(round, seat, [card, how, at]) {
    if (how === "kan") {
      round.take(seat, alike(card, 3), 3);
      round.lay(seat, "pao", alike(card, 4));
    } else round.lay(seat, "pao", alike(card, 4), Number(at));
  },
  peng(round, seat, [card]) {
    round.take(seat, alike(card, 2), 2);
    round.lay(seat, "peng", alike(card, 3));
  },
  chi(round, seat, words) {
    const offered = round.shown.card;
    const melds = words.map(parseCards);
    const cards = without(melds.flat(), [offered]);
    round.take(seat, cards, cards.length);
    for (const meld of melds) round.lay(seat, "chi", meld);
  },
  draw(round, seat, [card]) {
    round.fromWall(card);
    round.turn = seat;
    round.shown = { card, seat, how: "draw" };
  },
  discard(round, seat, [card]) {
    round.take(seat, [card], 1);
    if (seat === round.seat) round.marks.own.add(card);
    round.turn = seat;
    round.shown = { card, seat, how: "discard" };
  },
  river(round, seat, [card]) {
    round.rivers[seat] = [...round.rivers[seat], card];
    round.shown = null;
  },
  dead(round, seat) {
    round.dead[seat] = true;
  },
  ask(round, seat, words) {
    round.legal = words.join(" ").split(" | ");
  },
  answer(round) {
    round.legal = [];
  },
  withdrawn(round) {
    round.legal = [];
  },
  mark(round, seat, [what, card, xi]) {
    if (what === "hu") round.marks.hu.set(card, Number(xi));
    else round.marks[what].add(card);
  },
  hu(round, seat, [how, source, card, xi, ...melds]) {
    round.shown = null;
    round.win = { seat, how, source: Number(source), card: card === "-" ? "" : card, xi: Number(xi), melds: melds.map(parseMeld) };
  },
  show(round, seat, [hand, ...melds]) {
    round.shown = null;
    round.hands ??= [[], [], []];
    round.hands[seat] = parseCards(hand);
    round.melds[seat] = melds.map(parseMeld);
  },
  end(round, winner, [how, ...points]) {
    round.end = { how, winner, points: points.map(Number) };
  },
};

/** A meld word such as `wei:s5s5s5`. */
export function parseMeld(word) {
  const [kind, cards] = word.split(":");
  return { kind, cards: parseCards(cards) };
}

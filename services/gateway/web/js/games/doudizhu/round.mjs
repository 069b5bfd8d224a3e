// One round of 斗地主 as its listener may know it: the fold of the event texts (docs/games/doudizhu.md).
import { HIDDEN, RANKS, isRank, parseWord, rankAt, wordOfCards } from "./cards.mjs";
import { playsOf } from "./plays.mjs";
import { Suits, sortDown } from "./suits.mjs";
import { Wishes } from "./wishes.mjs";

const SEATS = 3;
const DEALT_EACH = 17;
const BOTTOM_AT = SEATS * DEALT_EACH;

/** Stands in a question for every legal play. */
export const ANY_PLAY = "play*";

const next = (seat) => (seat + 1) % SEATS;

/** Adds up event texts. Its fields are the state; nothing outside changes them. */
export class Round {
  /** `tab`: where this tab keeps which cards the person chose. */
  constructor(tab = globalThis.sessionStorage) {
    this.tab = tab;
    this.dealt = false;
    this.seat = -1;
    this.dealer = -1;
    this.preset = "";
    this.options = {};
    this.counts = [0, 0, 0];
    this.phase = "bid";
    this.turn = -1;
    this.faceUp = "";
    /** `[seat, answer]` in order. */
    this.bids = [];
    this.landlord = -1;
    this.bid = 0;
    this.robs = 0;
    this.bottom = [];
    this.doubles = [0, 0, 0];
    /** What is to be beaten: `{type, length, rank}` or null, and who played last. */
    this.over = null;
    this.last = -1;
    this.passes = 0;
    this.plays = [0, 0, 0];
    this.bombs = 0;
    this.rockets = 0;
    /** `{seat, cards, reading}`; a pass has no reading. */
    this.history = [];
    /** What lies before each seat now: `{cards, reading}`, `{said}` (a bid or a pass), or null. */
    this.before = [null, null, null];
    this.legal = [];
    this.hands = null;
    this.end = null;
    this.steps = 0;
    this.suits = new Suits();
    /** Cards that are known to be in a hand: the own ones, and the 底牌 until they are played. */
    this.held = [[], [], []];
    this.wishes = null;
    this.ownDeal = [];
    this.seen = [];
  }

  /** Take the next event text; returns `{kind, seat, …}` for those who show it. Throws on what is no event. */
  add(text) {
    const [kind, seatWord, ...words] = text.split(" ");
    const step = STEPS[kind];
    if (!step || (!this.dealt && kind !== "deal")) throw new Error(`no event can be: ${text}`);
    const seat = Number(seatWord);
    const more = step(this, seat, words) ?? {};
    this.steps += 1;
    return { kind, seat, words, ...more };
  }

  /** The own cards, highest first. */
  get hand() {
    return this.seat < 0 ? [] : sortDown(this.held[this.seat]);
  }

  /** 抢, bombs and the rocket so far. */
  get multiplier() {
    const { bomb_cap: cap, bomb_mult: bomb = 2, rocket_mult: rocket = 2, scoring } = this.options;
    const rockets = Math.min(this.rockets, cap ?? this.rockets);
    const bombs = Math.min(this.bombs, cap == null ? this.bombs : cap - rockets);
    const played = scoring === "linear" ? 1 + bombs * (bomb - 1) + rockets * (rocket - 1) : bomb ** bombs * rocket ** rockets;
    return 2 ** this.robs * played;
  }

  /** `spring` or `anti` once the round was won so, else "". */
  get spring() {
    const { end, landlord, plays } = this;
    if (!end || end.how !== "win") return "";
    if (end.last === landlord) return plays.every((count, seat) => seat === landlord || !count) ? "spring" : "";
    return plays[landlord] === 1 ? "anti" : "";
  }

  /** The cards of a shuffled deck that a seat is dealt. */
  dealtTo(wall, seat) {
    const turn = (seat - this.dealer + SEATS) % SEATS;
    return wall.slice(turn * DEALT_EACH, (turn + 1) * DEALT_EACH);
  }

  /** Whether everything this listener saw of the others fits a shuffled deck. */
  agrees(wall) {
    if (this.faceUp && wall[0] !== this.faceUp) return false;
    if (this.bottom.length && wordOfCards(wall.slice(BOTTOM_AT)) !== wordOfCards(this.bottom)) return false;
    if (!this.hands) return true;
    return this.hands.every((left, seat) => {
      const had = [...left, ...this.history.filter((move) => move.seat === seat).flatMap((move) => move.cards)];
      return wordOfCards(had) === wordOfCards([...this.dealtTo(wall, seat), ...(seat === this.landlord ? this.bottom : [])]);
    });
  }

  /** Every legal answer to the own open question, spelt out. */
  get legalSpeltOut() {
    if (!this.legal.includes(ANY_PLAY)) return this.legal;
    const plays = playsOf(this.hand, this.over, this.options).map((play) => play.action);
    return [...plays, ...this.legal.filter((action) => action !== ANY_PLAY)].sort();
  }

  /** The view as docs/games/doudizhu.md describes it. */
  asJson() {
    const reading = ({ type, length, rank }) => [type, String(length), RANKS[rank]];
    return {
      seat: this.seat < 0 ? null : this.seat,
      dealer: this.dealer,
      preset: this.preset,
      rules: this.options,
      hand: wordOfCards(this.hand),
      counts: this.counts,
      phase: this.phase,
      turn: this.turn,
      face_up: this.faceUp,
      bids: this.bids,
      landlord: this.landlord,
      bid: this.bid,
      robs: this.robs,
      bottom: wordOfCards(this.bottom),
      doubles: this.doubles,
      table: this.over && [this.last, ...reading(this.over)],
      last: this.last,
      passes: this.passes,
      plays: this.plays,
      bombs: this.bombs,
      rockets: this.rockets,
      multiplier: this.multiplier,
      history: this.history.map((move) => (move.reading ? [move.seat, wordOfCards(move.cards), ...reading(move.reading)] : [move.seat, "pass"])),
      legal: this.legalSpeltOut,
      hands: this.hands && this.hands.map((cards) => wordOfCards(cards) || "-"),
      end: this.end && [this.end.how, String(this.end.last), ...this.end.points.map(String)],
    };
  }

  say(seat, said) {
    this.before[seat] = { said };
  }

  /** The very cards the person chose for his next play; their suits are laid down then. */
  wish(cards) {
    this.wishes.keep(this.plays[this.seat], cards);
  }

  /** The seat whose turn it is has nothing before it any more. */
  turnTo(seat) {
    this.turn = seat;
    if (seat >= 0 && this.phase === "play") this.before[seat] = null;
  }
}

/** Who is asked to 抢 next; what follows corrects it where that is nobody. */
function robberAfter(round) {
  const caller = round.bids.find(([, said]) => said === "call")[0];
  const spoken = new Set(round.bids.map(([seat]) => seat));
  return [next(caller), next(next(caller))].find((seat) => !spoken.has(seat)) ?? caller;
}

function bidding(word) {
  return (round, seat) => {
    round.bids.push([seat, word]);
    round.say(seat, word);
    if (word === "call") {
      round.bid = 1;
      round.phase = "rob";
    }
    if (word === "rob") round.robs += 1;
    round.turn = round.phase === "rob" ? robberAfter(round) : next(seat);
  };
}

const STEPS = {
  deal(round, first, [preset, options, ...hands]) {
    if (hands.length !== SEATS) throw new Error("a round has three hands");
    round.dealt = true;
    round.dealer = first;
    round.seat = hands.findIndex((word) => !word.startsWith(HIDDEN));
    round.preset = preset;
    round.options = JSON.parse(options);
    round.turn = first;
    round.counts = hands.map((word, at) => (at === round.seat ? word.length : Number(word.slice(1))));
    if (round.seat >= 0) {
      round.ownDeal = parseWord(hands[round.seat]);
      round.wishes = new Wishes(hands[round.seat], round.tab);
      round.held[round.seat] = round.suits.give(round.ownDeal);
    }
  },
  face_up(round, seat, [rank]) {
    if (!isRank(rank)) throw new Error(`no card can be: ${rank}`);
    round.faceUp = rank;
    if (seat !== round.seat) round.held[seat] = round.suits.give(rank);
  },
  bid(round, seat, [value]) {
    round.bids.push([seat, `bid ${value}`]);
    round.bid = Math.max(round.bid, Number(value));
    round.say(seat, `bid ${value}`);
    round.turn = next(seat);
  },
  call: bidding("call"),
  no_call: bidding("no_call"),
  rob: bidding("rob"),
  no_rob: bidding("no_rob"),
  landlord(round, seat, [bid, , cards]) {
    round.landlord = seat;
    round.bid = Number(bid);
    round.bottom = round.suits.give(parseWord(cards));
    round.counts[seat] += round.bottom.length;
    round.held[seat] = [...round.held[seat], ...round.bottom];
    round.before = [null, null, null];
    round.phase = round.options.double === "on" ? "double" : "play";
    round.turnTo(round.phase === "double" ? -1 : seat);
  },
  doubled(round, seat, [value]) {
    round.doubles[seat] = Number(value);
    round.phase = "play";
    round.turn = round.landlord;
    round.say(seat, `double ${value}`);
  },
  play(round, seat, [word, type, length, rank]) {
    const wished = seat === round.seat ? round.wishes.of(round.plays[seat]) : [];
    const { cards, held } = round.suits.lay(parseWord(word), round.held[seat], wished);
    const reading = { type, length: Number(length), rank: rankAt(rank) };
    const leads = round.over === null;
    if (leads) round.before = [null, null, null];
    round.held[seat] = held;
    round.history.push({ seat, cards, reading });
    round.counts[seat] -= cards.length;
    round.plays[seat] += 1;
    round.bombs += type === "bomb";
    round.rockets += type === "rocket";
    round.over = reading;
    round.last = seat;
    round.passes = 0;
    round.before[seat] = { cards, reading };
    round.turnTo(next(seat));
    return { reading, left: round.counts[seat] };
  },
  pass(round, seat) {
    round.history.push({ seat, cards: [], reading: null });
    round.passes += 1;
    if (round.passes === SEATS - 1) {
      round.over = null;
      round.passes = 0;
    }
    round.say(seat, "pass");
    round.turnTo(next(seat));
  },
  ask(round, seat, words) {
    round.legal = words.join(" ").split(" | ");
  },
  answer(round, seat, [verb, value]) {
    round.legal = [];
    if (verb === "double") round.doubles[seat] = Number(value);
  },
  bottom(round, seat, [cards]) {
    round.bottom = round.suits.give(parseWord(cards));
  },
  show(round, seat, [cards]) {
    round.hands ??= [[], [], []];
    round.hands[seat] = sortDown(round.suits.lay(parseWord(cards), round.held[seat]).cards);
  },
  end(round, last, [how, ...points]) {
    round.phase = "over";
    round.turn = -1;
    round.end = { how, last, points: points.map(Number) };
  },
};

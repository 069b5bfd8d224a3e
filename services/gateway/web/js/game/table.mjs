// A table as this player may know it: the fold of its frames, or a view that stands for all of them.
import { gameOf } from "../games/registry.mjs";

/** Where the others sit, seen from the own seat and in the order of play, by the number of seats. */
const SIDES = { 2: ["own", "across"], 3: ["own", "right", "left"], 4: ["own", "right", "across", "left"] };

const roundNo = (roundId) => Number(roundId.slice(roundId.lastIndexOf("/") + 1)) || 0;

/** The state of one table. `clock` is a ServerClock. */
export class Table {
  constructor(tableId) {
    this.tableId = tableId;
    this.epoch = 0;
    this.number = 0;
    this.known = false;
    this.seat = -1;
    this.seats = [];
    this.phase = "seating";
    this.rounds = 0;
    this.roundNo = 0;
    this.preset = "";
    this.game = "";
    this.options = {};
    this.timing = {};
    this.baseStake = 0;
    /** Coins that each seat pays for a round. */
    this.fee = 0;
    /** Stakes that do not reach for another round: `{seat, stake, least, most}` each, and until when they are waited for. */
    this.short = [];
    this.shortUntil = 0;
    this.roomCode = "";
    /** The sum that ends the match; 0: it is played by rounds. */
    this.toScore = 0;
    /** What may be said here: `all`, `phrases`, `no`. */
    this.chatRule = "all";
    /**
     * Of those who watch; moments that are told come as much later as everything does. `likes` of plays and the own ones by `<round>/<event>`.
     * `asks`: who asks this table for leave, `let_in`: who has it; `waits`: this person has asked, and waits.
     */
    this.watching = { viewers: 0, delay_ms: 0, begins_at_ms: 0, likes: new Map(), mine: new Set(), asks: [], let_in: [], waits: false };
    this.matchId = "";
    this.matchEnd = null;
    this.vote = null;
    this.paused = "";
    /** Why this player may not play on: `{reason, again_at_ms, message_zh, message_en}`. */
    this.sentAway = null;
    /** Set when something could not be understood: the cure is a fresh view. */
    this.isBroken = false;
    this.clearRound();
  }

  clearRound() {
    this.roundId = "";
    this.opening = null;
    this.nonces = new Map();
    this.round = this.face.newRound();
    /** The event texts of the round so far. */
    this.texts = [];
    this.question = null;
    this.turnSeat = -1;
    this.turnDeadline = 0;
    this.roundEnd = null;
    this.settlement = null;
  }

  /** Stand a `TableView` in for all frames so far. */
  applyView(view, epoch) {
    this.epoch = epoch;
    this.number = view.number;
    this.known = true;
    this.isBroken = false;
    this.seat = view.seat;
    this.seats = view.seats;
    this.rounds = view.rounds;
    this.preset = view.preset;
    this.game = view.game;
    this.matchId = view.match_id;
    this.options = parseJson(view.options_json);
    this.timing = parseJson(view.timing_json);
    this.baseStake = view.base_stake;
    this.fee = view.fee;
    this.roomCode = view.room_code;
    this.toScore = view.to_score;
    this.chatRule = view.chat || "all";
    this.clearRound();
    this.roundNo = view.round_no;
    this.roundId = view.opening?.round_id ?? "";
    this.opening = view.opening;
    for (const { seat, nonce } of view.nonces) this.nonces.set(seat, nonce);
    if (view.play) this.play(view.play);
    if (view.round_end) this.endRound(view.round_end);
    this.phase = view.phase;
    this.settlement = view.settlement;
    this.matchEnd = view.match_end;
    this.vote = this.asked(view.vote);
    this.pause(view.paused);
    this.sentAway = view.sent_away ?? null;
  }

  /**
   * Take the next frame. Returns the events of the game in it (`[{kind, seat, words}]`), or null if it was no news.
   * A frame that leaves a gap sets `isBroken`.
   */
  applyFrame(frame, epoch) {
    if (frame.number <= this.number) return null;
    if (frame.number !== this.number + 1) {
      this.isBroken = true;
      return null;
    }
    this.number = frame.number;
    this.epoch = epoch;
    const kind = Object.keys(FRAMES).find((name) => frame[name]);
    return kind ? (FRAMES[kind](this, frame[kind], frame.at_ms) ?? []) : [];
  }

  /** The match waits for something (or, without a reason, goes on). */
  pause(paused) {
    this.paused = paused?.reason ?? "";
    this.short = paused?.short ?? [];
    this.shortUntil = paused?.until_ms ?? 0;
  }

  /** This table as it stands now, whatever frames follow. */
  asItStands() {
    return Object.assign(Object.create(Table.prototype), this);
  }

  play(play) {
    this.phase = "playing";
    const told = [];
    for (const text of play.events) {
      try {
        told.push(this.round.add(text));
        this.texts.push(text);
      } catch {
        this.isBroken = true;
        return told;
      }
    }
    if (play.round_id) this.roundId = play.round_id;
    if (play.question?.actions.length) this.question = play.question;
    else if (!this.round.legal.length) this.question = null;
    this.turnSeat = play.turn_seat;
    this.turnDeadline = this.shownAt(play.turn_deadline_at_ms);
    return told;
  }

  endRound(end) {
    this.phase = "between";
    this.question = null;
    this.turnSeat = -1;
    this.turnDeadline = 0;
    this.roundEnd = { ...end, next_round_at_ms: this.shownAt(end.next_round_at_ms), result: parseJson(end.result_json) };
    this.seats = this.seats.map((seat, at) => ({ ...seat, score: end.scores[at] ?? seat.score }));
  }

  /** When a moment comes that is told of: for who watches, as late as all that he is shown. 0 stays 0. */
  shownAt(ms) {
    return ms && this.seat < 0 ? ms + this.watching.delay_ms : ms;
  }

  /** A vote that is under way, or null. */
  asked(vote) {
    return vote?.until_ms ? { ...vote, until_ms: this.shownAt(vote.until_ms) } : null;
  }

  /** The own seat's state, if any. */
  get me() {
    return this.seats[this.seat] ?? null;
  }

  /** The game's own part of the page. */
  get face() {
    return gameOf(this.game);
  }

  /** Where a seat is on the page: `own`, `right`, `across` or `left`. */
  side(seat) {
    const { around } = this;
    return SIDES[around.length]?.[around.indexOf(seat)] ?? "own";
  }

  /** Seats in the order of play, the own one (a spectator's: seat 0) first. */
  get around() {
    const own = this.seat < 0 ? 0 : this.seat;
    const count = this.seats.length || 3;
    return Array.from({ length: count }, (_, at) => (own + at) % count);
  }

  /** Whether the own seat has been offered and waits to be taken. */
  get mustSit() {
    return this.known && this.phase === "seating" && this.me !== null && !this.me.taken;
  }

  /** The round whose nonce the own seat still owes, or "". */
  get owesNonce() {
    const owes = this.phase === "opening" && this.opening && this.me?.gives_nonces && !this.nonces.has(this.seat);
    return owes ? this.opening.round_id : "";
  }
}

const FRAMES = {
  seats_changed(table, { seats }) {
    table.seats = seats;
  },
  round_opening(table, opening) {
    table.clearRound();
    table.opening = opening;
    table.roundId = opening.round_id;
    table.roundNo = roundNo(opening.round_id);
    table.phase = "opening";
    table.seats = table.seats.map((seat) => ({ ...seat, ready: false }));
  },
  nonce_seen(table, { seat, nonce }) {
    table.nonces = new Map(table.nonces).set(seat, nonce);
  },
  play: (table, play) => table.play(play),
  round_end: (table, end) => table.endRound(end),
  round_settlement(table, settlement) {
    table.settlement = settlement;
    if (settlement.stakes.length) {
      table.seats = table.seats.map((seat, at) => ({ ...seat, stake: settlement.stakes[at] ?? seat.stake }));
    }
  },
  match_end(table, end) {
    table.matchEnd = end;
    table.phase = "finished";
    table.vote = null;
    table.pause(null);
  },
  resumed(table, { grace_ms }, at) {
    const until = table.shownAt(at + grace_ms);
    const { question } = table;
    if (question) table.question = { ...question, deadline_at_ms: Math.max(question.deadline_at_ms, until) };
    if (table.turnDeadline) table.turnDeadline = Math.max(table.turnDeadline, until);
  },
  vote_changed(table, vote) {
    table.vote = table.asked(vote);
  },
  paused(table, paused) {
    table.pause(paused);
  },
  sent_away(table, sent) {
    table.sentAway = sent;
  },
};

function parseJson(text) {
  try {
    return text ? JSON.parse(text) : {};
  } catch {
    return {};
  }
}

// At a table: listen, sit, reveal nonces, answer questions, leave.
import { checkFair } from "../game/fair.mjs";
import { NonceChains } from "../game/noncechain.mjs";
import { recordFileName } from "../game/record.mjs";
import { keepRound } from "../game/replay.mjs";
import { Table } from "../game/table.mjs";
import { t, tOr } from "../lib/i18n.mjs";
import { freshId } from "../lib/ids.mjs";
import { Refused } from "../net/refused.mjs";
import { decode } from "../net/wire.mjs";
import { rememberLeft } from "./lobby.mjs";
import { saveText } from "../view/download.mjs";

const SIT_AGAIN_MS = 3_000;
const CALLOUT_MS = 1_300;
const RESULT_AFTER_MS = 1_500;
/** Who asks for leave to watch says so again after so long. */
const ASK_AGAIN_MS = 2_000;
/** Answers to who wants to watch that somebody may still change. */
const WAITS = new Set(["WATCH_LEAVE_PENDING"]);
const GONE = new Set(["TABLE_UNKNOWN", "TABLE_CLOSED"]);

/**
 * What the person has opened and chosen at a table; `own` belongs to the game. `reads`: what of the result is unfolded.
 * `kept`: the table and the deal check of a result that is still being read while the next round is on.
 */
export const freshUi = () => ({ own: {}, sentQuestion: 0, resultOpen: false, reads: {}, kept: null, fair: null });

/** Whether somebody reads why the round scored what it scored. */
const isReading = (ui) => ui.resultOpen && Object.values(ui.reads).some(Boolean);

/** Whether a question may be answered so. A game that sends its questions in a short form knows more. */
const isLegal = (table, action) => table.face.isLegal?.(table, action) ?? table.question.actions.includes(action);

/** Things to do at a table. */
export class PlayControls {
  constructor(controls) {
    this.controls = controls;
    this.chains = new NonceChains(localStorage);
    this.pending = null;
    /** True: this table is only watched. */
    this.watches = false;
    this.owed = new Set();
    this.nextCallout = 1;
  }

  get state() {
    return this.controls.state;
  }

  get table() {
    return this.state.table;
  }

  change(work) {
    this.controls.change(work);
  }

  command(body, commandId) {
    return this.controls.connection.command(this.table.tableId, body, commandId);
  }

  // ---- listening ----

  /** Sit down at (or come back to) a table, or only watch it. */
  enter(tableId, { watches = false } = {}) {
    if (this.table?.tableId === tableId) return;
    this.watches = watches;
    rememberLeft(tableId, false);
    this.pending = null;
    this.owed.clear();
    this.controls.chat.clear();
    this.controls.router.giveWay(watches ? tableId : "");
    this.change((state) => {
      state.table = new Table(tableId);
      state.screen = "table";
      state.dialog = null;
      state.ticket = null;
      state.room = null;
      state.awayTable = "";
      state.replay = null;
      state.replaced = false;
      state.callouts = [];
      state.ui = freshUi();
    });
    this.attach();
    this.controls.chat.load();
  }

  async attach(fresh = false) {
    const { table } = this;
    if (!table || !this.controls.connection.isReady) return;
    const attach = { ...(fresh ? { epoch: 0, number: 0 } : { epoch: table.epoch, number: table.number }), spectate: this.watches };
    this.change((state) => (state.replaced = false));
    try {
      await this.command({ attach });
      this.change(() => (table.watching = { ...table.watching, waits: false }));
      this.resend();
    } catch (error) {
      if (table !== this.table) return;
      if (error instanceof Refused && GONE.has(error.reason)) this.gone(error.reason);
      else if (error instanceof Refused && this.watches && WAITS.has(error.reason)) this.waitForLeave(table);
      else if (error instanceof Refused) {
        this.controls.fail(error);
        // Whoever may not watch has nothing to wait for.
        if (this.watches) this.toLobby();
      }
    }
  }

  /** Somebody at the table is asked; ask again until he has answered, or this person gives up. */
  waitForLeave(table) {
    this.change(() => (table.watching = { ...table.watching, waits: true }));
    clearTimeout(this.asking);
    this.asking = setTimeout(() => this.table === table && this.attach(), ASK_AGAIN_MS);
  }

  /** Let somebody watch, or not; or send him away. */
  letWatch(playerId, allow) {
    return this.controls.once("let_watch", () => this.command({ let_watch: { player_id: playerId, allow } }, `let-${freshId()}`));
  }

  onSnapshot({ table_id, epoch, view }) {
    if (table_id !== this.table?.tableId) return;
    const { table } = this;
    const before = table.asItStands();
    try {
      table.applyView(decode("table.v1.TableView", view), epoch);
    } catch (error) {
      console.error(error);
      this.controls.toast(t("error.page"), "bad");
      return;
    }
    const isSameRound = before.known && before.roundId === table.roundId;
    const isSameQuestion = isSameRound && before.question?.number === table.question?.number;
    this.change(({ ui }) => {
      // A table that only came back (from a lost connection, from another process) is where the person left it.
      if (!isSameQuestion) ui.own = isSameRound && table.question && table.face.onAsked ? table.face.onAsked(ui.own, table) : table.face.newUi();
      if (!isSameRound && before.roundEnd && isReading(ui)) ui.kept = { table: before, fair: ui.fair };
      const isOver = table.roundEnd !== null || table.matchEnd !== null;
      const wasOver = isSameRound && (before.roundEnd !== null || before.matchEnd !== null);
      ui.resultOpen = wasOver && isOver ? ui.resultOpen : isOver;
      if (!isSameRound) Object.assign(ui, { reads: {}, sentQuestion: 0, fair: null });
    });
    this.after();
    if (table.roundEnd) this.checkFair();
  }

  onFrames({ table_id, epoch, frames }) {
    const { table } = this;
    if (table_id !== table?.tableId || !table.known) return;
    for (const bytes of frames) {
      const frame = decode("table.v1.Frame", bytes);
      const asked = table.question?.number;
      const isRead = frame.round_opening && (this.state.ui.kept || isReading(this.state.ui));
      const kept = isRead ? (this.state.ui.kept ?? { table: table.asItStands(), fair: this.state.ui.fair }) : null;
      const told = table.applyFrame(frame, epoch);
      if (told === null) continue;
      for (const event of told) this.show(event);
      if (table.question && table.question.number !== asked) this.wasAsked();
      if (frame.round_opening) this.opened(kept);
      if (frame.round_end) this.ended();
      if (frame.round_settlement && table.roundEnd) keepRound(localStorage, table);
      if (frame.match_end && !this.state.ui.resultOpen) this.change((state) => (state.ui.resultOpen = true));
    }
    if (table.isBroken) {
      table.isBroken = false;
      this.attach(true);
    }
    this.change();
    this.after();
  }

  onDetached({ table_id, reason }) {
    if (table_id !== this.table?.tableId) return;
    if (reason === "REPLACED") this.change((state) => (state.replaced = true));
    else this.gone(reason);
  }

  gone(reason) {
    if (this.table?.matchEnd) return;
    this.controls.toast(tOr(`detached.${reason}`, "detached.other"));
    this.toLobby();
  }

  /** What follows by itself from the state: names, sitting down, the nonce. */
  after() {
    const { table } = this;
    this.controls.lobby.loadPeople(table.seats.map((seat) => seat.player_id));
    if (table.mustSit) this.owe(`sit/${table.tableId}`, () => this.sit(table));
    const roundId = table.owesNonce;
    if (roundId) this.owe(`nonce/${roundId}`, () => this.reveal(table, roundId));
    if (table.short.some(({ seat }) => seat === table.seat)) this.owe(`short/${table.roundId}`, () => this.controls.lobby.loadWallet());
  }

  /** Do something once; a failure to reach the table makes it due again at the next view. */
  async owe(name, work) {
    if (this.owed.has(name)) return;
    this.owed.add(name);
    try {
      await work();
    } catch (error) {
      this.owed.delete(name);
      if (error instanceof Refused && error.reason === "PROTECTION_UNAVAILABLE") {
        // Nobody knows at the moment whether this person may play: that passes, and the seat waits.
        this.controls.fail(error);
        setTimeout(() => this.table?.known && this.after(), SIT_AGAIN_MS);
      } else if (error instanceof Refused) {
        this.owed.add(name);
        if (!name.startsWith("nonce/")) this.controls.fail(error);
      }
    }
  }

  async sit(table) {
    const head = await this.chains.head(table.tableId, Math.max(table.rounds, 1));
    await this.command({ sit: { nonce_head: head } }, `sit-${table.seat}`);
  }

  async reveal(table, roundId) {
    const nonce = await this.chains.nonce(table.tableId, roundId);
    if (nonce) await this.command({ reveal_nonce: { round_id: roundId, nonce } }, `nonce-${table.roundNo}`);
  }

  // ---- showing ----

  /** Let an event of the game be seen and heard, as the game wishes. */
  show(event) {
    const { words, values, tone, sound } = this.table.face.hears(event, this.table) ?? {};
    if (words) {
      const id = this.nextCallout++;
      this.change((state) => (state.callouts = [...state.callouts, { id, words, values, tone, seat: event.seat }]));
      setTimeout(() => {
        this.change((state) => (state.callouts = state.callouts.filter((callout) => callout.id !== id)));
      }, CALLOUT_MS);
    }
    if (sound) this.controls.sound.play(sound);
  }

  wasAsked() {
    this.controls.sound.play("turn");
    if (this.state.settings.sound) navigator.vibrate?.(30);
    const { face } = this.table;
    this.setUi(face.onAsked ? face.onAsked(this.ui, this.table) : face.newUi());
  }

  /** A round opens; `kept` is the result of the last one if it is still being read. */
  opened(kept) {
    this.pending = null;
    this.change((state) => (state.ui = { ...freshUi(), own: this.table.face.newUi(), kept }));
  }

  ended() {
    const { table } = this;
    keepRound(localStorage, table);
    const roundId = table.roundId;
    const mine = table.roundEnd.result.points?.[table.seat] ?? 0;
    this.controls.sound.play(mine > 0 ? "hu" : mine < 0 ? "lose" : "end");
    setTimeout(() => {
      if (this.table === table && table.roundId === roundId) this.change((state) => (state.ui.resultOpen = true));
    }, RESULT_AFTER_MS);
    this.checkFair();
  }

  async checkFair() {
    const { table } = this;
    const { roundId, round, opening, roundEnd } = table;
    if (!roundEnd.record.length) return;
    const chain = this.chains.load(table.tableId);
    const given = chain?.revealed.includes(roundId) && table.nonces.get(table.seat)?.length;
    const ownNonce = given ? await this.chains.nonce(table.tableId, roundId) : null;
    if (table.roundId === roundId) keepRound(localStorage, table, ownNonce);
    const fair = await checkFair({ record: roundEnd.record, heard: opening?.commitment, ownNonce, round });
    this.change((state) => {
      if (state.table?.roundId === roundId) state.ui.fair = { roundId, ...fair };
      else if (state.ui.kept?.table.roundId === roundId) state.ui.kept = { ...state.ui.kept, fair };
    });
  }

  showResult(open) {
    this.change(({ ui }) => Object.assign(ui, { resultOpen: open, reads: {}, kept: null }));
  }

  /** Part of the result was unfolded, or folded again. */
  read(part, isOpen) {
    if (Boolean(this.state.ui.reads[part]) !== isOpen) this.change(({ ui }) => (ui.reads = { ...ui.reads, [part]: isOpen }));
  }

  /** From a result that was read on into the next round, to that round. */
  goOn() {
    this.change(({ ui }) => (ui.kept = null));
  }

  saveRecord(roundId, text) {
    saveText(recordFileName(roundId), text);
  }

  // ---- answering ----

  /** The legal answers of the open question, as it was sent; none once it is answered. */
  get asked() {
    const { question } = this.table ?? {};
    return question && question.number !== this.state.ui.sentQuestion ? question.actions : [];
  }

  /** What the game keeps about its part of the page: the cards that are selected, and the like. */
  get ui() {
    return this.state.ui.own;
  }

  /** Change some of it. */
  setUi(changes) {
    this.change((state) => (state.ui.own = { ...state.ui.own, ...changes }));
  }

  /** Answer the open question. Sent again after a lost connection, which the table knows as the same answer. */
  async act(action) {
    const { table } = this;
    const question = table?.question;
    if (!question || this.state.ui.sentQuestion === question.number || !isLegal(table, action)) return;
    this.pending = { round_id: table.roundId, question: question.number, action };
    this.change((state) => Object.assign(state.ui, { sentQuestion: question.number, own: table.face.newUi() }));
    await this.sendAct(this.pending);
  }

  async sendAct(act) {
    try {
      await this.command({ act });
      if (this.pending === act) this.pending = null;
    } catch (error) {
      if (!(error instanceof Refused)) return;
      if (this.pending === act) this.pending = null;
      this.change((state) => (state.ui.sentQuestion = 0));
      this.controls.fail(error);
    }
  }

  resend() {
    const { pending, table } = this;
    if (!pending) return;
    if (table.question?.number === pending.question && table.roundId === pending.round_id) this.sendAct(pending);
    else this.pending = null;
  }

  ready() {
    // Whoever asks for the next round has read enough.
    this.change(({ ui }) => (ui.reads = {}));
    return this.controls.once("ready", async () => {
      await this.command({ ready: {} }, `ready-${this.table.roundNo}-${freshId()}`);
      this.change((state) => (state.ui.resultOpen = state.table?.matchEnd !== null));
    });
  }

  autoPlay(on) {
    return this.controls.once("auto", () => this.command({ set_auto_play: { on } }, freshId()));
  }

  /** Take more time for the turn that is asked. */
  extend() {
    const { question, roundId, roundNo } = this.table;
    return this.controls.once("extend", () => this.command({ extend: { round_id: roundId, question: question.number } }, `extend-${roundNo}-${question.number}`));
  }

  vote(agree) {
    this.controls.closeDialog();
    return this.controls.once("vote", () => this.command({ dissolve_vote: { agree } }, freshId()));
  }

  /** Add coins from the wallet to the own stake, which is short; answered once they are in it. */
  addStake(amount) {
    return this.controls.once("stake", () => this.command({ add_stake: { amount } }, `add-${this.table.roundNo}-${freshId()}`));
  }

  /** Add nothing: the match ends. */
  declineStake() {
    return this.controls.once("stake", () => this.command({ decline_stake: {} }, `decline-${freshId()}`));
  }

  leave() {
    const { tableId } = this.table;
    this.controls.closeDialog();
    return this.controls.once("leave", async () => {
      await this.command({ leave: {} }, `leave-${freshId()}`);
      rememberLeft(tableId, true);
      this.toLobby();
    });
  }

  /** Back to the lobby; the seat, if the match goes on, stays. */
  toLobby() {
    const { table } = this;
    if (table && this.controls.connection.isReady) this.command({ detach: {} }).catch(() => {});
    this.change((state) => {
      state.table = null;
      state.screen = "lobby";
      state.dialog = null;
      state.replaced = false;
      state.callouts = [];
    });
    this.controls.router.unwatch();
    this.controls.chat.clear();
    this.controls.lobby.loadWallet();
    this.controls.lobby.loadHalls();
    if (table && !table.matchEnd && table.seat >= 0) this.change((state) => (state.awayTable = table.tableId));
  }

  again() {
    this.toLobby();
    this.controls.lobby.again();
  }
}

// Looking at a round again: where one is in it, through whose eyes, what stands beside it.
import { checkRecord } from "../../fairdeal.mjs";
import { callHttp } from "../net/http.mjs";
import { checkKept, keptRound } from "../game/replay.mjs";
import { gameOf } from "../games/registry.mjs";

const STEP_MS = 900;

const whenIdle = (work) => (globalThis.requestIdleCallback ?? setTimeout)(work);

/** How fast a replay may run, as a multiple. */
export const SPEEDS = [0.5, 1, 2, 4];

/** Things to do with a replay. */
export class ReplayControls {
  constructor(controls, storage) {
    Object.assign(this, { controls, storage });
    this.timer = 0;
    this.before = null;
  }

  get replay() {
    return this.controls.state.replay;
  }

  get last() {
    return this.replay.round.steps.length - 1;
  }

  change(changes) {
    this.controls.change(({ replay }) => Object.assign(replay, changes));
  }

  /** The round as this browser has kept it, or null. */
  kept(roundId) {
    return keptRound(this.storage, roundId);
  }

  /** The check of a round's deal: against what was heard here, else against itself. */
  async fairOf(roundId, record) {
    return (await checkKept(this.kept(roundId), record)) ?? { ...(await checkRecord(new TextDecoder().decode(record))), checks: [], isAlone: true };
  }

  /** Check the deal of the record in the open dialog. */
  async check(roundId, record) {
    const fair = await this.fairOf(roundId, record);
    this.controls.change(({ dialog }) => {
      if (dialog?.kind === "record" && dialog.roundId === roundId) dialog.fair = fair;
    });
  }

  /** Go to the replay of a round. */
  open(roundId) {
    this.go("round", roundId);
  }

  /** Go to a replay by what stands behind its name in the address. */
  go(...path) {
    const { page } = this.controls.state;
    this.before = page && page.name !== "replay" ? [page.name, ...page.path] : null;
    this.controls.change((state) => (state.dialog = null));
    this.controls.router.go("replay", ...path);
  }

  /** Back to where the replay was opened. */
  close() {
    if (this.before) this.controls.router.go(...this.before);
    else this.controls.router.home();
  }

  /**
   * Show a round from its beginning. `key`: what the address says; `teaches(seat)`: whether that seat's decisions may be explained;
   * `ask`: by what the service knows the round.
   */
  show(key, round, { teaches, ask, isMine }) {
    this.controls.change((state) => {
      state.replay = {
        key,
        round,
        teaches,
        ask,
        isMine,
        seat: round.own >= 0 ? round.own : [...round.scripts.keys()][0],
        isAbove: round.isOpen && round.own < 0,
        at: 0,
        runs: false,
        speed: 1,
        panel: "",
        lessons: new Map(),
        audit: round.audit ?? null,
        fair: null,
        links: null,
      };
    });
    this.controls.lobby.loadPeople(round.players);
    // Not before the round is there to be seen.
    whenIdle(() => gameOf(round.game).ripen?.());
  }

  /** Nothing is looked at any more. */
  stop() {
    clearTimeout(this.timer);
    this.controls.change((state) => (state.replay = null));
  }

  /** Go so many steps on (or back). */
  step(by) {
    this.seek(this.replay.at + by);
  }

  /** Go to a step; what is beyond an end is that end. */
  seek(to) {
    const at = Math.min(this.last, Math.max(0, to));
    this.change({ at });
    if (this.replay.panel === "lesson") this.learn();
  }

  /** Let it run, or stop it; from the end it begins anew. */
  run(runs = !this.replay.runs) {
    clearTimeout(this.timer);
    if (runs && this.replay.at === this.last) this.seek(0);
    this.change({ runs });
    if (runs) this.timer = setTimeout(() => this.tick(), STEP_MS / this.replay.speed);
  }

  tick() {
    if (!this.replay?.runs) return;
    if (this.replay.at < this.last) this.step(1);
    if (this.replay.at < this.last) this.run(true);
    else this.ended();
  }

  /** It has run to its end: what it came to is shown. */
  ended() {
    this.run(false);
    if (!this.replay.panel) this.panel("score");
  }

  /** The next faster speed, after the fastest the slowest. */
  faster() {
    const speed = SPEEDS[(SPEEDS.indexOf(this.replay.speed) + 1) % SPEEDS.length];
    this.change({ speed });
    if (this.replay.runs) this.run(true);
  }

  /** Look through the eyes of a seat. */
  sit(seat) {
    if (!this.replay.round.scripts.has(seat)) return;
    this.change({ seat });
    if (this.replay.panel === "lesson") this.learn();
  }

  /** The next seat in the order of play. */
  turn() {
    const seats = [...this.replay.round.scripts.keys()];
    this.sit(seats[(seats.indexOf(this.replay.seat) + 1) % seats.length]);
  }

  /** See every hand, or only the one. */
  above(isAbove = !this.replay.isAbove) {
    if (this.replay.round.scripts.size > 1) this.change({ isAbove });
  }

  /** Open what stands beside the table (`score`, `lesson`, `share`), or close it. */
  panel(name) {
    const panel = this.replay.panel === name ? "" : name;
    this.change({ panel });
    if (panel) this.run(false);
    if (panel === "lesson") this.learn();
    if (panel === "score") this.prove();
    if (panel === "share") this.loadLinks();
  }

  // ---- what it came to, and whether it was fair ----

  async prove() {
    const { key, round, isMine, audit, fair } = this.replay;
    if (round.record.length && !fair) {
      const found = await this.fairOf(round.roundId, round.record);
      if (this.replay?.key === key) this.change({ fair: found });
    }
    if (!round.record.length || audit) return;
    await this.controls.lobby.part("replay.audit", async () => {
      const said = isMine ? await this.auditOf(round.roundId) : (await this.callWithRecord("scoring/AuditRecord", { record: round.record })).audit;
      if (said && this.replay?.key === key) this.change({ audit: { verdict: said.verdict.replace("VERDICT_", ""), auditor: said.auditor } });
    });
  }

  /** Over HTTP if a record goes along: it may be larger than any message of a connection. */
  async callWithRecord(method, request) {
    if (!request.record) return this.controls.call(method, request);
    return callHttp(method, request, await this.controls.session.token());
  }

  async auditOf(roundId) {
    try {
      return (await this.controls.call("scoring/GetAudit", { round_id: roundId })).audit;
    } catch (error) {
      if (error.code === 5) return null;
      throw error;
    }
  }

  // ---- lessons ----

  /** The answers of the seat that is looked through. */
  get decisions() {
    return this.replay.round.answers.filter((answer) => answer.seat === this.replay.seat);
  }

  /** Load what can be learnt at this step. */
  learn() {
    const { key, at, lessons, ask, teaches, seat } = this.replay;
    if (!teaches(seat)) return;
    for (const { step, number } of this.decisions) {
      if (step !== at || lessons.has(number)) continue;
      lessons.set(number, null);
      this.controls.lobby.part(`replay.lesson.${number}`, async () => {
        try {
          const lesson = await this.callWithRecord("table/ExplainDecision", { ...ask, number });
          if (this.replay?.key === key) this.controls.change(() => lessons.set(number, lesson));
        } catch (error) {
          lessons.delete(number);
          throw error;
        }
      });
    }
  }

  /** To the next decision of this seat, or the one before. */
  toDecision(by) {
    const { at } = this.replay;
    const steps = this.decisions.map((answer) => answer.step);
    const to = by > 0 ? steps.find((step) => step > at) : steps.findLast((step) => step < at);
    if (to !== undefined) this.seek(to);
  }

  // ---- links and favourites ----

  loadLinks() {
    const { key, round } = this.replay;
    return this.controls.lobby.part("replay.links", async () => {
      const { shares } = await this.controls.call("table/ListShares", { round_id: round.roundId });
      if (this.replay?.key === key) this.change({ links: shares });
    });
  }

  share(viewer, days) {
    return this.controls.once("replay.share", async () => {
      await this.controls.call("table/ShareRound", { round_id: this.replay.round.roundId, viewer, days });
      await this.loadLinks();
    });
  }

  revoke(token) {
    return this.controls.once("replay.share", async () => {
      await this.controls.call("table/RevokeShare", { token });
      await this.loadLinks();
    });
  }

  /** Keep the round among the favourites with a note, or (null) take it out. */
  favourite(note) {
    return this.controls.once("replay.favourite", async () => {
      const { round } = this.replay;
      const request = { round_id: round.roundId };
      if (note === null) await this.controls.call("table/RemoveFavourite", request);
      else await this.controls.call("table/SetFavourite", { ...request, note });
      this.change({ round: { ...round, isFavourite: note !== null, note: note ?? "" } });
      this.controls.pages.history?.starred(round.roundId, note);
    });
  }
}

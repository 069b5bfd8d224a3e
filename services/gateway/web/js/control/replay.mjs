// Looking at a round again.
import { checkRecord } from "../../fairdeal.mjs";
import { checkKept, keptRound, stepsOf } from "../game/replay.mjs";

const STEP_MS = 900;

/** Things to do with a replay. */
export class ReplayControls {
  constructor(controls, storage) {
    Object.assign(this, { controls, storage });
    this.timer = 0;
  }

  get replay() {
    return this.controls.state.replay;
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

  open(roundId) {
    const round = keptRound(this.storage, roundId);
    if (!round) return;
    this.controls.change((state) => {
      state.dialog = null;
      state.replay = { round, steps: stepsOf(round.texts), at: 0, runs: false };
    });
    this.controls.lobby.loadPeople(round.players);
  }

  close() {
    clearTimeout(this.timer);
    this.controls.change((state) => (state.replay = null));
  }

  /** Go so many steps on (or back). */
  step(by) {
    const { steps, at } = this.replay;
    this.controls.change((state) => (state.replay.at = Math.min(steps.length - 1, Math.max(0, at + by))));
  }

  /** Let it run, or stop it. */
  run(runs = !this.replay.runs) {
    clearTimeout(this.timer);
    this.controls.change((state) => (state.replay.runs = runs));
    if (runs) this.timer = setTimeout(() => this.tick(), STEP_MS);
  }

  tick() {
    if (!this.replay?.runs) return;
    if (this.replay.at >= this.replay.steps.length - 1) this.run(false);
    else {
      this.step(1);
      this.run(true);
    }
  }
}

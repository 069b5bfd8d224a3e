// Looking at a round again.
import { keptRound, stepsOf } from "../game/replay.mjs";

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

  /** Whether this browser has kept the round. */
  has(roundId) {
    return keptRound(this.storage, roundId) !== null;
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

// All halls: what they cost, who plays there, and a way out for who is broke.
import { freshId } from "../lib/ids.mjs";
import { grouped, t } from "../lib/i18n.mjs";
import { PageControls } from "./pagecontrols.mjs";

/** How often the numbers of people are asked for while the page is open. */
const PEOPLE_MS = 10_000;

/** Things to do on the page `#halls`. */
export class HallsControls extends PageControls {
  /** `day`: what today's caps and the relief say. */
  fresh() {
    return { day: null };
  }

  open([game]) {
    this.controls.lobby.loadHalls();
    if (!this.state.games) this.controls.lobby.loadGames();
    this.controls.lobby.loadWallet();
    this.loadDay();
    if (game) this.controls.lobby.chooseGame(game);
    clearInterval(this.timer);
    this.timer = setInterval(() => document.hidden || this.controls.lobby.loadHalls(), PEOPLE_MS);
  }

  close() {
    clearInterval(this.timer);
  }

  /** What one may enter depends on what one has. */
  hearWallet() {
    this.controls.lobby.loadHalls();
    this.loadDay();
  }

  loadDay() {
    return this.part("day", async () => this.set({ day: await this.call("economy/GetDay", { player_id: this.state.playerId }) }));
  }

  /** Take the relief. An answer that was lost is asked for again under the same id, so that it is given once. */
  claimRelief() {
    this.claim ??= freshId();
    return this.once("relief", async () => {
      try {
        const { gold } = await this.call("economy/ClaimRelief", { request_id: this.claim });
        this.controls.toast(t("relief.got", { gold: grouped(gold) }), "good");
      } catch (error) {
        if (error.reason !== "UNREACHABLE") this.claim = null;
        throw error;
      }
      this.claim = null;
      await Promise.all([this.controls.lobby.loadWallet(), this.controls.lobby.loadHalls(), this.loadDay()]);
    });
  }
}

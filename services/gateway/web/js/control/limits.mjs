// The own limits on playing: age, time, losses, self-exclusion; and what was played today.
import { t } from "../lib/i18n.mjs";
import { PageControls } from "./pagecontrols.mjs";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Added to an exclusion: it lasts its shortest time from when it arrives, not from when it was begun. */
const SLACK_MS = MINUTE_MS;

/** The exclusions that are offered, in days. */
export const EXCLUSION_DAYS = [1, 7, 30, 90, 180, 365, 1_826];

/** Words about a time to play that ends soon. */
export function endingWords({ ends_at_ms: endsAt }) {
  return t("limits.ending", { count: Math.max(1, Math.ceil((endsAt - Date.now()) / MINUTE_MS)) });
}

/** Things to do on the page `#limits`. */
export class LimitsControls extends PageControls {
  /** `protection`: as the service says; `band`: chosen, not yet said; `days`: of an exclusion; `asks`: what waits for a yes. */
  fresh() {
    return { protection: null, band: 0, days: 7, until: 0, asks: "", typed: {} };
  }

  open() {
    return this.load();
  }

  close() {
    this.set({ asks: "", band: 0, typed: {} });
  }

  load() {
    return this.part("protection", async () => this.took(await this.call("accounts/GetProtection", {})));
  }

  took({ protection }) {
    // The server's clock counts, not this device's: the difference is kept with what it said.
    this.set({ protection, ahead: protection.now_ms - Date.now() });
  }

  /** The server's time. */
  get now() {
    return Date.now() + (this.own.ahead ?? 0);
  }

  ask(asks) {
    this.set({ asks });
  }

  type(field, value) {
    this.set({ typed: { ...this.own.typed, [field]: value } });
  }

  setLimits(minutes, loss) {
    return this.once("own", async () => {
      this.took(await this.call("accounts/SetLimits", { limits: { day_minutes: minutes, day_loss: loss } }));
      this.set({ typed: {} });
      this.controls.toast(t("limits.saved"), "good");
    });
  }

  pickBand(band) {
    this.set({ band, asks: "age" });
  }

  declareAge() {
    return this.once("age", async () => {
      this.took(await this.call("accounts/DeclareAge", { band: this.own.band }));
      this.set({ band: 0, asks: "" });
    });
  }

  pickDays(days) {
    this.set({ days, asks: "" });
  }

  /** The exclusion is asked for: its end is fixed now, so that what is confirmed is what is sent. */
  beginExclusion() {
    const from = Math.max(this.now, this.own.protection.excluded_until_ms);
    this.set({ until: from + this.own.days * DAY_MS + SLACK_MS, asks: "first" });
  }

  exclude() {
    return this.once("exclude", async () => {
      this.took(await this.call("accounts/ExcludeSelf", { until_ms: Math.round(this.own.until) }));
      this.set({ asks: "" });
      this.controls.toast(t("limits.excluded"), "good");
    });
  }
}

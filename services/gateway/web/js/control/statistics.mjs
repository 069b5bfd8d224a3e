// `#statistics`, `#statistics/<player>`: what somebody has played, by game and preset, day by day.
import { t } from "../lib/i18n.mjs";
import { Refused } from "../net/refused.mjs";
import { PageControls } from "./pagecontrols.mjs";

const DAY_MS = 86_400_000;
const SHANGHAI_MS = 8 * 3_600_000;
const DAYS_PAGE = 400;

/** How many days a plot may show. */
export const SPANS = [30, 90, 365];

/** The number of a day of the platform: `2026-11-29` → 20786. */
export const dayNumber = (text) => Math.round(Date.parse(`${text}T00:00:00Z`) / DAY_MS);

/** And back. */
export const dayText = (number) => new Date(number * DAY_MS).toISOString().slice(0, 10);

/** Which day it is in Shanghai at a moment. */
export const dayAt = (ms) => Math.floor((ms + SHANGHAI_MS) / DAY_MS);

/** The days of a span, oldest first, each with what was played: `{day, rounds, wins, self_draws, deal_ins, points, sum}`. */
export function seriesOf(days, last, span) {
  const played = new Map(days.map((one) => [dayNumber(one.day), one]));
  const found = [];
  let sum = 0;
  for (let day = last - span + 1; day <= last; day += 1) {
    const { rounds = 0, wins = 0, self_draws = 0, deal_ins = 0, points = 0 } = played.get(day) ?? {};
    sum += points;
    found.push({ day, rounds, wins, self_draws, deal_ins, points, sum });
  }
  return found;
}

/** The key of one game and preset. */
export const keyOf = (one) => `${one.game} ${one.preset}`;

/** Things to do on the page `#statistics`. */
export class StatisticsControls extends PageControls {
  /**
   * `whose`: the player; `rows`: PlayStatistics, most played first; `refused`: why there are none; `chosen`: game and preset; `span`: days of the plots;
   * `ratings`: Rating by game, null until known; `days`: what was loaded, by game and preset; `last`: the newest day of the plots; `picked`: the day that is looked at; `allNames`.
   */
  fresh() {
    return { whose: "", rows: null, ratings: null, isPublic: true, refused: null, chosen: "", span: SPANS[0], days: {}, last: 0, picked: null, allNames: false };
  }

  open([whose = ""]) {
    const player = whose || this.state.playerId;
    if (player !== this.own.whose) this.set({ ...this.fresh(), whose: player, span: this.own.span });
    if (!this.state.games) this.controls.lobby.loadGames();
    if (player) this.controls.lobby.loadPeople([player]);
    this.loadRatings();
    return this.load();
  }

  /** How well he plays, where it is known; where he keeps it to himself the rows say so. */
  loadRatings() {
    const { whose } = this.own;
    return this.part("ratings", async () => {
      try {
        const { ratings } = await this.call("progress/ListRatings", { player_id: whose });
        if (this.own.whose === whose) this.set({ ratings });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    });
  }

  get isOwn() {
    return this.own.whose === this.state.playerId;
  }

  load() {
    const { whose } = this.own;
    return this.part("rows", async () => {
      const rows = [];
      let answer;
      try {
        do {
          answer = await this.call("progress/GetStatistics", { player_id: whose, page_token: answer?.next_page_token ?? "" });
          rows.push(...answer.statistics);
        } while (answer.next_page_token);
      } catch (error) {
        // Not a fault: he keeps them to himself, or there is nobody of this name.
        if (!(error instanceof Refused) || !["STATISTICS_PRIVATE", "INVALID_ARGUMENT"].includes(error.reason)) throw error;
        if (this.own.whose === whose) this.set({ rows: [], refused: error.reason });
        return;
      }
      if (this.own.whose !== whose) return;
      rows.sort((a, b) => b.rounds - a.rounds || (keyOf(a) < keyOf(b) ? -1 : 1));
      const chosen = rows.some((one) => keyOf(one) === this.own.chosen) ? this.own.chosen : rows.length ? keyOf(rows[0]) : "";
      this.set({ rows, refused: null, isPublic: answer.is_public, chosen, days: {} });
      if (chosen) await this.loadDays();
    });
  }

  choose(chosen) {
    this.set({ chosen, picked: null, allNames: false });
    return this.loadDays();
  }

  chooseSpan(span) {
    this.set({ span, picked: null });
    return this.loadDays();
  }

  /** Load the days of the plot, once for each game, preset and span. */
  loadDays() {
    const { whose, chosen, span, days } = this.own;
    const [game, preset] = chosen.split(" ");
    const last = dayAt(Date.now());
    if ((days[chosen]?.span ?? 0) >= span && days[chosen].last === last) return undefined;
    return this.part("days", async () => {
      const answer = await this.call("progress/ListStatisticsDays", { player_id: whose, game, preset, from_day: dayText(last - span + 1), page_size: DAYS_PAGE });
      // The service's day counts, should this clock be behind.
      const newest = Math.max(last, ...answer.days.map((one) => dayNumber(one.day)));
      if (this.own.whose === whose) this.set({ days: { ...this.own.days, [chosen]: { span, last, rows: answer.days } }, last: newest });
    });
  }

  /** Look at one day of the plots; null: at none. */
  pick(day) {
    if (day !== this.own.picked) this.set({ picked: day });
  }

  /** By the keyboard: a day on, a day back, the first, the last. */
  step(key) {
    const { last, span, picked } = this.own;
    const first = last - span + 1;
    const to = { ArrowLeft: (picked ?? last + 1) - 1, ArrowRight: (picked ?? last - 1) + 1, Home: first, End: last }[key];
    if (to === undefined) return false;
    this.pick(Math.min(last, Math.max(first, to)));
    return true;
  }

  showNames(allNames) {
    this.set({ allNames });
  }

  /** Whether others may see them. */
  publish(is_public) {
    return this.once("publish", async () => {
      const answer = await this.call("progress/SetStatisticsVisibility", { is_public });
      this.set({ isPublic: answer.is_public });
      this.controls.toast(t(answer.is_public ? "statistics.public.on" : "statistics.public.off"), "good");
    });
  }
}

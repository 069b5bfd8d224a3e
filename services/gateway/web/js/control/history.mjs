// `#history`: the rounds of this player by filters, his favourites, his links.
import { PageControls } from "./pagecontrols.mjs";

const PAGE_SIZE = 20;

/** No filter. */
export const NO_FILTERS = { game: "", preset: "", place: "", ending: "", from: "", to: "", opponent: "", favourites: false };

const DAY_MS = 86_400_000;

/** The start of a day of the browser's calendar, Unix milliseconds; 0 for none. */
const dayMs = (day) => (day ? new Date(`${day}T00:00:00`).getTime() || 0 : 0);

/** Loads what the page of rounds shows. */
export class HistoryControls extends PageControls {
  fresh() {
    return { filters: { ...NO_FILTERS }, rounds: null, next: "", met: [] };
  }

  open() {
    return this.load();
  }

  /** The filters as ListHistory takes them. */
  get request() {
    const { game, preset, place, ending, from, to, opponent, favourites } = this.own.filters;
    return {
      player_id: this.state.playerId,
      game,
      preset,
      place: place || "PLACE_UNSPECIFIED",
      ending: ending || "ENDING_UNSPECIFIED",
      from_ms: dayMs(from),
      // A day that is named is meant whole.
      to_ms: to ? dayMs(to) + DAY_MS : 0,
      opponent_id: opponent,
      favourites,
      page_size: PAGE_SIZE,
    };
  }

  load() {
    return this.part("rounds", async () => {
      const { request } = this;
      const { rounds, next_page_token } = await this.call("table/ListHistory", request);
      // Filters that changed meanwhile have asked again.
      if (JSON.stringify(request) !== JSON.stringify(this.request)) return;
      this.meet(rounds);
      this.set({ rounds, next: next_page_token });
    });
  }

  more() {
    return this.once("more", async () => {
      const { rounds, next_page_token } = await this.call("table/ListHistory", { ...this.request, page_token: this.own.next });
      this.meet(rounds);
      this.set({ rounds: [...this.own.rounds, ...rounds], next: next_page_token });
    });
  }

  /** Learn the names of those who sat there too; they may then be asked for. */
  meet(rounds) {
    const people = rounds.flatMap((round) => round.players).filter((id) => id.startsWith("p_") && id !== this.state.playerId);
    this.controls.lobby.loadPeople(people);
    this.set({ met: [...new Set([...this.own.met, ...people])] });
  }

  /** Change filters, and load anew. */
  filter(changes) {
    const filters = { ...this.own.filters, ...changes };
    if ("game" in changes) filters.preset = "";
    this.set({ filters, rounds: null, next: "" });
    return this.load();
  }

  clear() {
    return this.filter(NO_FILTERS);
  }

  /** Keep a round among the favourites, or take it out. */
  star(round) {
    return this.once(`star.${round.round_id}`, async () => {
      const request = { round_id: round.round_id };
      if (round.is_favourite) await this.call("table/RemoveFavourite", request);
      else await this.call("table/SetFavourite", { ...request, note: "" });
      this.starred(round.round_id, round.is_favourite ? null : "");
    });
  }

  /** A round became a favourite with a note, or (null) is none any more. */
  starred(roundId, note) {
    const rounds = this.own.rounds?.map((one) => (one.round_id === roundId ? { ...one, is_favourite: note !== null, note: note ?? "" } : one)) ?? null;
    this.set({ rounds });
  }
}

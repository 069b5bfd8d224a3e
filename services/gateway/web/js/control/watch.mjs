// Watching: the list of live tables, and what one does at a table where one looks on.
import { t } from "../lib/i18n.mjs";
import { PageControls } from "./pagecontrols.mjs";

/** How often the list is asked for while it is open. */
const LIST_MS = 8_000;
const PAGE_SIZE = 24;

export const VIEWERS = "LIVE_ORDER_VIEWERS";
/** Bounds on ratings, `least-most`; 0 is none. */
export const ANY_RATING = "0-0";
export const RATINGS = [ANY_RATING, "0-1399", "1400-1599", "1600-1799", "1800-0"];
export const NEWEST = "LIVE_ORDER_NEWEST";

const playKey = (roundNo, eventNo) => `${roundNo}/${eventNo}`;

/** The last play that is shown at the table: `{key, round_no, event_no}`, or null. */
export function lastPlay(table) {
  const eventNo = table.texts.length;
  return eventNo ? { key: playKey(table.roundNo, eventNo), round_no: table.roundNo, event_no: eventNo } : null;
}

/** Things to do on the page `#watch`, and at a table that is watched. */
export class WatchControls extends PageControls {
  /** `tables` is null until the list was loaded; `player` is whose table is looked for. */
  fresh() {
    return { tables: null, next: "", total: 0, game: "", hall: "", order: VIEWERS, player: "", friends: false, ratings: ANY_RATING, unrated: 0 };
  }

  open() {
    if (!this.state.games) this.controls.lobby.loadGames();
    if (!this.state.halls) this.controls.lobby.loadHalls();
    this.load();
    clearInterval(this.timer);
    this.timer = setInterval(() => document.hidden || this.own.tables?.length > PAGE_SIZE || this.load(), LIST_MS);
  }

  close() {
    clearInterval(this.timer);
  }

  get filters() {
    const { game, hall, order, player, friends, ratings } = this.own;
    const [rating_min, rating_max] = ratings.split("-").map(Number);
    return { rating_min, rating_max, friends, game, hall_id: hall, order, player_ids: player ? [player] : [], page_size: PAGE_SIZE };
  }

  load() {
    const asked = JSON.stringify(this.filters);
    return this.part("tables", async () => {
      const { tables, next_page_token, total, unrated } = await this.call("table/ListLiveTables", this.filters);
      // An answer to what is not asked any more comes too late.
      if (asked !== JSON.stringify(this.filters)) return;
      this.set({ tables, next: next_page_token, total, unrated });
      this.names(tables);
    });
  }

  loadMore() {
    return this.once("more", async () => {
      const { tables, next_page_token } = await this.call("table/ListLiveTables", { ...this.filters, page_token: this.own.next });
      const known = new Set(this.own.tables.map((table) => table.table_id));
      this.set({ tables: [...this.own.tables, ...tables.filter((table) => !known.has(table.table_id))], next: next_page_token });
      this.names(tables);
    });
  }

  names(tables) {
    this.controls.lobby.loadPeople(tables.flatMap((table) => table.player_ids));
  }

  /** Choose what is listed; another game has other halls. */
  filter(changes) {
    this.controls.sound.play("tap");
    this.set({ ...("game" in changes ? { hall: "" } : {}), ...changes, tables: null });
    return this.load();
  }

  /** Look for the table of a person by his number. */
  find(player) {
    const wanted = player.trim();
    if (wanted && !/^p_[0-9A-Za-z_-]{1,62}$/.test(wanted)) {
      this.controls.toast(t("watch.player.wrong"), "bad");
      return undefined;
    }
    return this.filter({ player: wanted });
  }

  // ---- at a table ----

  watch(tableId) {
    this.controls.play.enter(tableId, { watches: true });
  }

  /** Back to the list. */
  leave() {
    this.controls.play.toLobby();
    this.controls.router.go("watch");
  }

  /** What the table says of those who watch it. */
  hear({ table_id, viewers, delay_ms, begins_at_ms, liked, asks, let_in }) {
    const { table } = this.state;
    if (table?.tableId !== table_id) return;
    if (asks.length > table.watching.asks.length) this.controls.sound.play("tap");
    this.controls.change(() => {
      const likes = new Map(table.watching.likes);
      for (const { round_no, event_no, likes: count } of liked) likes.set(playKey(round_no, event_no), count);
      table.watching = { ...table.watching, viewers, delay_ms, begins_at_ms, likes, asks, let_in };
    });
    this.controls.lobby.loadPeople([...asks.map((ask) => ask.player_id), ...let_in]);
  }

  /** Like the play that is shown last, once. */
  like() {
    const { table } = this.state;
    const play = table && lastPlay(table);
    if (!play || table.watching.mine.has(play.key)) return undefined;
    return this.once("like", async () => {
      const { round_no, event_no, key } = play;
      const { likes } = await this.call("table/LikePlay", { table_id: table.tableId, round_no, event_no });
      this.controls.change(() => {
        const all = new Map(table.watching.likes).set(key, likes);
        table.watching = { ...table.watching, likes: all, mine: new Set(table.watching.mine).add(key) };
      });
    });
  }
}

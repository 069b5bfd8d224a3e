// Before a table: profile, wallet, sign-in, halls, tickets, statistics, records.
import { grouped, t } from "../lib/i18n.mjs";
import { freshId } from "../lib/ids.mjs";
import { canPlay } from "../games/registry.mjs";
import { goldIn } from "../game/wallet.mjs";
import { nameKey } from "../net/identity.mjs";
import { isOutage, Refused, Unreachable } from "../net/refused.mjs";

const TICKET_POLL_MS = 2_000;
const ROOM_POLL_MS = 3_000;
const GRANT_POLL_MS = 500;
/** When a part that could not be loaded is asked for again: a process that was killed is back by then. */
const AGAIN_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
/** How often a new player's wallet is asked for until his first gold is there: for ten seconds. */
const GRANT_TRIES_MAX = 20;

/** The first rule set of the chosen game, unless one of it is chosen already. */
function choosePreset(state) {
  const mine = state.halls.filter((hall) => hall.game === state.game);
  if (!mine.some((hall) => hall.preset === state.preset)) state.preset = mine[0]?.preset ?? "";
}

/** Whether what went wrong passes by itself: the world has failed, or this page has asked too often. */
const passes = (error) => isOutage(error) || error.reason === "RATE_LIMITED" || error.reason === "TOO_MANY_CALLS";

/** Things to do in the lobby. */
export class LobbyControls {
  constructor(controls) {
    this.controls = controls;
    this.poller = 0;
    /** Timers of parts that are asked for again, by their names. */
    this.retries = new Map();
  }

  get state() {
    return this.controls.state;
  }

  change(work) {
    this.controls.change(work);
  }

  call(short, request) {
    return this.controls.call(short, request);
  }

  /** After a connection: where was I? A seat, a room or a ticket is taken up again. */
  async comeBack() {
    try {
      const { ticket, room, table_id } = await this.call("matchmaking/GetWhereabouts");
      if (this.state.table) return;
      const { watched } = this.controls.router;
      if (table_id && !hasLeft(table_id)) this.controls.play.enter(table_id);
      else if (watched) this.controls.play.enter(watched, { watches: true });
      else {
        this.change((state) => {
          state.awayTable = table_id;
          state.screen = "lobby";
          state.ticket = ticket?.state === "waiting" ? ticket : null;
          state.room = room?.state === "open" ? room : null;
        });
        this.poll();
      }
    } catch (error) {
      this.change((state) => {
        if (!state.table) state.screen = "lobby";
      });
      if (error.reason !== "UNREACHABLE") this.controls.fail(error);
    }
    this.controls.router.start();
  }

  /** The address may ask to watch a table also when the page is open; a match of one's own comes first. */
  followWatched() {
    const { router, play } = this.controls;
    const { table } = this.state;
    if (table?.me && !table.matchEnd) router.unwatch();
    else if (router.watched) play.enter(router.watched, { watches: true });
  }

  /** Everything the lobby shows; each part may fail alone. */
  async loadAll() {
    await Promise.all([this.loadProfile(), this.loadWallet(), this.loadHalls(), this.loadGames(), this.loadSignIn()]);
  }

  /**
   * Load a part of the page. A part that could not be loaded is named in `failed` and can be asked for again; what passes by
   * itself the page asks for again some times, as long as it is there to be seen.
   */
  async part(name, work, tries = 0) {
    clearTimeout(this.retries.get(name));
    if (!tries) this.change((state) => state.failed.delete(name));
    try {
      await work();
      if (tries) this.change((state) => state.failed.delete(name));
    } catch (error) {
      this.change((state) => state.failed.add(name));
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
      if (passes(error) && tries < AGAIN_MS.length) this.retries.set(name, setTimeout(() => this.isWanted(name) && this.part(name, work, tries + 1), AGAIN_MS[tries]));
    }
  }

  /** Whether a part that failed would still be seen: those of a page are named after it. */
  isWanted(name) {
    const [page] = name.split(".", 1);
    return this.state.failed.has(name) && (!this.controls.pages[page] || this.state.page?.name === page);
  }

  loadProfile() {
    return this.part("profile", async () => {
      const { profile } = await this.call("accounts/GetProfile");
      this.change((state) => {
        state.profile = profile;
        state.playerId = profile.player_id;
        state.profiles.set(profile.player_id, profile);
      });
      this.controls.pages.profile?.follow(profile);
      if (this.controls.session.tokens?.byKey) nameKey(localStorage, profile.nickname);
    });
  }

  loadWallet(triesLeft = GRANT_TRIES_MAX) {
    return this.part("wallet", async () => {
      const wallet = await this.call("economy/GetWallet", { player_id: this.state.playerId });
      if (this.state.wallet === null && this.controls.session.isNewPlayer && !goldIn(wallet) && triesLeft) {
        setTimeout(() => this.state.wallet ?? this.loadWallet(triesLeft - 1), GRANT_POLL_MS);
        return;
      }
      this.change((state) => (state.wallet = wallet));
    });
  }

  loadHalls() {
    return this.part("halls", async () => {
      const { halls } = await this.call("matchmaking/ListHalls");
      this.change((state) => {
        state.halls = halls.filter((hall) => canPlay(hall.game));
        if (!state.halls.some((hall) => hall.game === state.game)) state.game = state.halls[0]?.game ?? "";
        choosePreset(state);
      });
    });
  }

  /** Show the halls of another game. */
  chooseGame(game) {
    this.controls.sound.play("tap");
    this.change((state) => {
      state.game = game;
      choosePreset(state);
    });
  }

  loadGames() {
    return this.part("games", async () => {
      const { games } = await this.call("table/ListGames");
      this.change((state) => (state.games = games.filter((one) => canPlay(one.game))));
    });
  }

  loadSignIn() {
    return this.part("signin", async () => {
      const { state: signIn } = await this.call("progress/GetSignIn");
      this.change((state) => (state.signIn = signIn));
    });
  }

  /** The names and pictures of other people. */
  loadPeople(ids) {
    const unknown = [...new Set(ids)].filter((id) => id.startsWith("p_") && !this.state.profiles.has(id));
    if (!unknown.length) return;
    this.part("people", async () => {
      const { profiles } = await this.call("accounts/BatchGetProfiles", { player_ids: unknown });
      this.change((state) => {
        for (const profile of profiles) state.profiles.set(profile.player_id, profile);
      });
    });
  }

  signInToday() {
    return this.controls.once("sign_in", async () => {
      const { state: signIn, reward } = await this.call("progress/SignIn");
      this.change((state) => (state.signIn = signIn));
      if (reward) this.controls.toast(t("signin.got", { gold: grouped(reward) }), "good");
      this.controls.sound.play("turn");
      await this.loadWallet();
    });
  }

  // ---- a match with whoever comes ----

  match(hallId, botsNow) {
    this.controls.sound.wake();
    return this.controls.once("ticket", async () => {
      const request = { request_id: freshId(), hall_id: hallId, bots_now: botsNow };
      const { ticket } = await this.call("matchmaking/CreateTicket", request);
      this.lastHall = { hallId, botsNow };
      this.onTicket(ticket);
      this.poll();
    });
  }

  /** The same hall once more, if this page knows it. */
  again() {
    if (this.lastHall) this.match(this.lastHall.hallId, this.lastHall.botsNow);
  }

  cancelTicket() {
    const { ticket } = this.state;
    if (!ticket) return undefined;
    return this.controls.once("cancel", async () => {
      const answer = await this.call("matchmaking/CancelTicket", { ticket_id: ticket.ticket_id });
      this.onTicket(answer.ticket);
    });
  }

  onTicket(ticket) {
    if (ticket.state === "matched" && ticket.table_id) {
      this.change((state) => (state.ticket = null));
      this.controls.play.enter(ticket.table_id);
    } else if (ticket.state === "waiting") {
      if (!this.state.table) this.change((state) => (state.ticket = ticket));
    } else {
      const was = this.state.ticket;
      this.change((state) => (state.ticket = null));
      if (ticket.state === "failed" && was) this.controls.toast(t("ticket.failed", { reason: ticket.reason }), "bad");
    }
  }

  /** Notices can be lost; while waiting, ask now and then. */
  poll() {
    clearTimeout(this.poller);
    const { ticket, room } = this.state;
    if (!ticket && !room) return;
    this.poller = setTimeout(async () => {
      try {
        if (this.state.ticket) {
          this.onTicket((await this.call("matchmaking/GetTicket", { ticket_id: this.state.ticket.ticket_id })).ticket);
        } else if (this.state.room) {
          this.controls.rooms.onRoom((await this.call("matchmaking/GetRoom", { room_code: this.state.room.room_code })).room);
        }
      } catch (error) {
        if (error.code === 5) {
          this.change((state) => {
            state.ticket = null;
            state.room = null;
          });
        }
      }
      this.poll();
    }, ticket ? TICKET_POLL_MS : ROOM_POLL_MS);
  }

  // ---- what was ----

  async openStatistics() {
    this.controls.dialog({ kind: "statistics" });
    await this.part("statistics", async () => {
      const { statistics } = await this.call("progress/GetStatistics", { player_id: this.state.playerId });
      this.change((state) => (state.statistics = statistics));
    });
  }

  async openRecords() {
    this.controls.dialog({ kind: "records" });
    this.change((state) => (state.records = null));
    await this.moreRecords("");
  }

  moreRecords(token = this.state.recordsNext) {
    return this.part("records", async () => {
      const request = { player_id: this.state.playerId, page_size: 20, page_token: token };
      const { records, next_page_token } = await this.call("table/ListRecords", request);
      this.loadPeople(records.flatMap((record) => record.players));
      this.change((state) => {
        state.records = token ? [...(state.records ?? []), ...records] : records;
        state.recordsNext = next_page_token;
      });
    });
  }

  openRecord(roundId) {
    return this.controls.once("record", async () => {
      const { record } = await this.call("table/GetRecord", { round_id: roundId });
      const text = new TextDecoder().decode(record);
      this.change((state) => (state.dialog = { kind: "record", roundId, text, fair: null }));
      await this.controls.replay.check(roundId, record);
    });
  }
}

const LEFT = "paiju.left";

/** Whether this player said he leaves that table: then the page does not bring him back by itself. */
export function hasLeft(tableId) {
  try {
    return JSON.parse(localStorage.getItem(LEFT) ?? "[]").includes(tableId);
  } catch {
    return false;
  }
}

/** Remember (or forget) that this player left a table. */
export function rememberLeft(tableId, left) {
  try {
    const others = JSON.parse(localStorage.getItem(LEFT) ?? "[]").filter((id) => id !== tableId);
    localStorage.setItem(LEFT, JSON.stringify(left ? [...others.slice(-9), tableId] : others));
  } catch {
    // The page then offers the seat again, which does no harm.
  }
}

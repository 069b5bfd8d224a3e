// `#friends`: who one's friends are, who asks, who is blocked; and the card of a person.
import { t } from "../lib/i18n.mjs";
import { Refused } from "../net/refused.mjs";
import { PageControls } from "./pagecontrols.mjs";

export const NONE = "FRIENDSHIP_UNSPECIFIED";
export const FRIENDS = "FRIENDSHIP_FRIENDS";
export const ASKED = "FRIENDSHIP_ASKED";
export const ASKS = "FRIENDSHIP_ASKS";
export const BLOCKED = "FRIENDSHIP_BLOCKED";

const PAGE_SIZE = 50;
/** How often it is looked who is here and where friends sit, while the page is open and to be seen. */
const WHERE_MS = 10_000;
const PLAYER_ID = /^p_[0-9A-Za-z_-]{1,64}$/;

/** The lists of the page: what is called, with what, and the name of the list in the answer. */
const LISTS = {
  friends: ["accounts/ListFriends", {}, "friends"],
  received: ["accounts/ListFriendRequests", { direction: "REQUEST_DIRECTION_IN" }, "requests"],
  sent: ["accounts/ListFriendRequests", { direction: "REQUEST_DIRECTION_OUT" }, "requests"],
  blocked: ["accounts/ListBlockedPlayers", {}, "blocked"],
};

/** What a call makes of somebody: the words of its toast by what he is then. */
const DONE = { [FRIENDS]: "friends.done.friends", [ASKED]: "friends.done.asked", [BLOCKED]: "friends.done.blocked", [NONE]: "friends.done.none", [ASKS]: "friends.done.none" };

/** Things to do on the page `#friends`, and with a person's card. */
export class FriendsControls extends PageControls {
  /**
   * `lists`: by name, `{entries, next, total}`, or null until it is loaded; `most`: how many friends there may be; `found`: people of the
   * nickname that was looked for, or null; `tables`: by player, the table at which a friend may be watched; `here`: the friends who are here;
   * `isShown`: whether friends see where one is oneself, null until it is known; `sure`: what is asked about
   * before it is done, `{kind, player}`.
   */
  fresh() {
    return { lists: { friends: null, received: null, sent: null, blocked: null }, most: 0, found: null, sought: "", tables: new Map(), here: new Set(), isShown: null, sure: null };
  }

  open() {
    for (const name of Object.keys(LISTS)) this.load(name);
    this.loadWhere();
    clearInterval(this.timer);
    this.timer = setInterval(() => document.hidden || this.loadWhere(), WHERE_MS);
  }

  close() {
    clearInterval(this.timer);
  }

  load(name) {
    const [method, wanted, key] = LISTS[name];
    return this.part(name, async () => {
      const answer = await this.call(method, { ...wanted, page_size: PAGE_SIZE });
      this.keep(name, answer[key], answer);
    });
  }

  loadMore(name) {
    const [method, wanted, key] = LISTS[name];
    return this.once(name, async () => {
      const { entries, next } = this.own.lists[name];
      const answer = await this.call(method, { ...wanted, page_size: PAGE_SIZE, page_token: next });
      const known = new Set(entries.map((one) => one.profile.player_id));
      this.keep(name, [...entries, ...answer[key].filter((one) => !known.has(one.profile.player_id))], answer);
    });
  }

  keep(name, entries, { next_page_token, total, most }) {
    this.controls.change((state) => {
      for (const { profile } of entries) state.profiles.set(profile.player_id, profile);
      if (name === "received") state.friendAsks = total;
    });
    this.set({ lists: { ...this.own.lists, [name]: { entries, next: next_page_token, total } }, ...(most ? { most } : {}) });
  }

  /** Who is here, and at which tables; each answer may fail alone. */
  loadWhere() {
    return Promise.all([this.loadHere(), this.loadTables()]);
  }

  async loadHere() {
    try {
      const { here, is_shown } = await this.call("accounts/ListFriendsPresence");
      this.set({ here: new Set(here), isShown: is_shown });
    } catch {
      this.set({ here: new Set() });
    }
  }

  /** Let friends see whether one is here, or not. */
  show(is_shown) {
    return this.once("show", async () => {
      const answer = await this.call("accounts/SetPresenceShown", { is_shown });
      this.set({ isShown: answer.is_shown });
      this.controls.toast(t(answer.is_shown ? "friends.shown.on" : "friends.shown.off"), "good");
    });
  }

  /** Where friends sit who may be watched: nothing is known of the others. */
  async loadTables() {
    try {
      const { tables } = await this.call("table/ListLiveTables", { friends: true, page_size: 100 });
      this.set({ tables: new Map(tables.flatMap((table) => table.player_ids.map((player) => [player, table]))) });
    } catch {
      // They are asked for again soon; meanwhile nobody is said to be anywhere.
      this.set({ tables: new Map() });
    }
  }

  /** How many ask, for the mark in the lobby. */
  async countAsks() {
    try {
      const { total } = await this.call("accounts/ListFriendRequests", { direction: "REQUEST_DIRECTION_IN", page_size: 1 });
      this.controls.change((state) => (state.friendAsks = total));
    } catch {
      // The page says so itself.
    }
  }

  /** Look for people by their whole nickname, or by number. */
  find(text) {
    const sought = text.trim();
    if (!sought) return undefined;
    return this.once("find", async () => {
      const isNumber = PLAYER_ID.test(sought);
      const { profiles } = await this.call(isNumber ? "accounts/BatchGetProfiles" : "accounts/FindPlayers", isNumber ? { player_ids: [sought] } : { nickname: sought });
      const found = profiles.filter((one) => !one.is_deleted && one.player_id !== this.state.playerId);
      this.controls.change((state) => {
        for (const profile of found) state.profiles.set(profile.player_id, profile);
      });
      this.set({ found, sought });
      for (const { player_id } of found) this.look(player_id);
    });
  }

  /** Ask, accept, decline, … : one of the calls that name a player and answer what he is then. */
  act(method, player, words = null) {
    return this.once(player, async () => {
      const answer = await this.call(`accounts/${method}`, { player_id: player });
      const friendship = method === "AcceptFriend" ? FRIENDS : answer.friendship;
      this.controls.change((state) => state.friendships.set(player, friendship));
      this.controls.toast(t(words ?? DONE[friendship]), "good");
      this.set({ sure: null });
      this.reload();
    });
  }

  ask(player) {
    return this.act("AskFriend", player);
  }

  /** What is shown of friends is loaded anew; elsewhere only the count of those who ask. */
  reload() {
    if (this.state.page?.name === this.name) this.open();
    else this.countAsks();
  }

  /** Before something that is not easily undone. */
  sure(kind, player) {
    this.set({ sure: kind ? { kind, player } : null });
  }

  // ---- the card of a person ----

  /** Show who somebody is. */
  card(player) {
    this.controls.lobby.loadPeople([player]);
    this.controls.dialog({ kind: "person", player, ratings: null });
    this.look(player);
    return this.loadRatings(player);
  }

  statisticsOf(player) {
    this.controls.closeDialog();
    this.controls.router.go("statistics", player);
  }

  async look(player) {
    if (player === this.state.playerId) return;
    try {
      const { friendship } = await this.call("accounts/GetFriendship", { player_id: player });
      this.controls.change((state) => state.friendships.set(player, friendship));
    } catch (error) {
      this.controls.fail(error);
    }
  }

  loadRatings(player) {
    const told = (ratings) =>
      this.controls.change((state) => {
        if (state.dialog?.kind === "person" && state.dialog.player === player) state.dialog = { ...state.dialog, ratings };
      });
    return this.part("ratings", async () => {
      try {
        told((await this.call("progress/ListRatings", { player_id: player })).ratings);
      } catch (error) {
        if (!(error instanceof Refused) || error.reason !== "STATISTICS_PRIVATE") throw error;
        told([]);
      }
    });
  }

  // ---- rooms ----

  invite(player) {
    return this.once(`invite-${player}`, async () => {
      await this.call("accounts/InviteFriend", { player_id: player });
      this.controls.toast(t("friends.invited", { who: this.state.profiles.get(player)?.nickname ?? "" }), "good");
    });
  }

  /** Invitations that came while one was away, to rooms that wait still. */
  async loadInvitations() {
    try {
      const { invitations } = await this.call("accounts/ListRoomInvitations");
      this.controls.change((state) => {
        for (const { profile } of invitations) state.profiles.set(profile.player_id, profile);
        state.friendInvites = invitations;
      });
    } catch {
      // Who invites may say it again; one that was heard stays.
    }
  }

  join({ profile, room_code }) {
    this.put(profile.player_id);
    return this.controls.rooms.join(room_code);
  }

  /** The invitation of a friend is not shown any more. */
  put(player) {
    this.controls.change((state) => (state.friendInvites = state.friendInvites.filter((one) => one.profile.player_id !== player)));
    this.call("accounts/DismissRoomInvitation", { player_id: player }).catch(() => {});
  }

  /** What the service tells at once. */
  hear({ asked, accepted, invited }) {
    const { profile } = asked ?? accepted ?? invited;
    this.controls.change((state) => {
      state.profiles.set(profile.player_id, profile);
      if (asked) state.friendships.set(profile.player_id, ASKS);
      if (accepted) state.friendships.set(profile.player_id, FRIENDS);
      if (invited) state.friendInvites = [invited, ...state.friendInvites.filter((one) => one.profile.player_id !== profile.player_id)];
    });
    // An invitation stands on lobby and pages until it is answered; at a table it is only said.
    const words = asked ? "friends.told.asked" : accepted ? "friends.told.accepted" : "friends.told.invited";
    if (!invited || this.state.screen === "table") this.controls.toast(t(words, { who: profile.nickname }), "good");
    this.controls.sound.play("turn");
    if (asked || accepted) this.reload();
  }
}

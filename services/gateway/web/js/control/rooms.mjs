// Friends' rooms: opened, joined, changed, started; once more; the score sheet.
import { t, tOr } from "../lib/i18n.mjs";
import { freshId } from "../lib/ids.mjs";
import { hasLeft } from "./lobby.mjs";

/** What of a form the service wants to know. */
const wishOf = ({ preset, options, rounds, level, rules }) => ({
  preset,
  options_json: Object.keys(options).length ? JSON.stringify(options) : "",
  rounds,
  level,
  rules,
});

/** The place of a player in a room; undefined: none. */
export const placeOf = (room, playerId) => room.places.find((place) => place.player_id === playerId);

/** The link that leads into a room. */
export const linkTo = (code) => `${location.origin}/#/room/${code}`;

/** Things to do in rooms. */
export class RoomControls {
  constructor(controls) {
    this.controls = controls;
  }

  get state() {
    return this.controls.state;
  }

  change(work) {
    this.controls.change(work);
  }

  call(method, request) {
    return this.controls.call(`matchmaking/${method}`, request);
  }

  /** Ask something about the room one is in; the answer is how it is then. */
  ask(method, request = {}) {
    return this.controls.once("room", async () => {
      const { room } = await this.call(method, { room_code: this.state.room.room_code, ...request });
      this.onRoom(room);
      return room;
    });
  }

  /** Enter a room by a call that gives it; dialogs are done with. `refused(error)`: what to do if it does not. */
  enter(method, request, refused = null) {
    return this.controls.once("room", async () => {
      let room;
      try {
        ({ room } = await this.call(method, request));
      } catch (error) {
        if (!refused) throw error;
        return refused(error);
      }
      this.change((state) => {
        state.dialog = null;
        state.invite = null;
      });
      this.controls.router.home();
      this.onRoom(room);
      this.controls.lobby.poll();
      return room;
    });
  }

  create(wish) {
    return this.enter("CreateRoom", { request_id: freshId(), game: wish.game, ...wishOf(wish) });
  }

  /** Take a place; of a room that plays already its page says whether it may be watched. */
  join(code) {
    return this.enter("JoinRoom", { room_code: code }, (error) => {
      if (error.reason !== "ROOM_PLAYING") throw error;
      this.change((state) => (state.dialog = null));
      this.controls.router.go("room", code);
    });
  }

  async changeRules(wish) {
    if (await this.ask("SetRoomRules", wishOf(wish))) this.controls.closeDialog();
  }

  /** Ready for the rules that are on the page. */
  setReady(ready) {
    return this.ask("SetRoomReady", { ready, rules_no: this.state.room.rules_no });
  }

  /** Give the empty places to bots of one level: `easy`, `normal`, `hard`. */
  fillWithBots(bot) {
    return this.ask("FillRoomWithBots", { bot });
  }

  async kick(place) {
    if (await this.ask("KickFromRoom", { player_id: place.player_id, seat: place.seat })) this.controls.closeDialog();
  }

  async move(seat) {
    if (await this.ask("MoveSeat", { seat })) this.controls.closeDialog();
  }

  answerSwap(fromPlayerId, accept) {
    return this.ask("SwapSeats", { from_player_id: fromPlayerId, accept });
  }

  async handOver(playerId) {
    if (await this.ask("HandOverRoom", { player_id: playerId })) this.controls.closeDialog();
  }

  leave() {
    return this.goOut("LeaveRoom");
  }

  close() {
    this.controls.closeDialog();
    return this.goOut("CloseRoom");
  }

  goOut(method) {
    return this.controls.once("room", async () => {
      const { room } = this.state;
      this.change((state) => (state.room = null));
      try {
        await this.call(method, { room_code: room.room_code });
      } catch (error) {
        this.onRoom(room);
        throw error;
      }
    });
  }

  /** What the service says of a room in which this player has, or had, a place. */
  onRoom(room) {
    this.controls.lobby.loadPeople(room.places.map((place) => place.player_id));
    const isShown = this.state.room?.room_code === room.room_code;
    if (!placeOf(room, this.state.playerId) && room.state !== "closed") {
      if (isShown) this.wentOut(t("room.kicked"));
    } else if (room.state === "playing" && room.table_id) {
      this.change((state) => (state.room = null));
      if (this.state.table?.tableId !== room.table_id && !hasLeft(room.table_id)) this.controls.play.enter(room.table_id);
    } else if (room.state === "closed") {
      if (isShown) this.wentOut(t("room.closed"));
    } else if (!this.state.table) {
      if (room.refusal && this.state.room && !this.state.room.refusal) this.controls.toast(tOr(`room.refused.${room.refusal}`, "room.refused"), "bad");
      this.change((state) => (state.room = room));
    }
  }

  wentOut(words) {
    this.change((state) => {
      state.room = null;
      state.dialog = null;
    });
    this.controls.toast(words);
  }

  // ---- after the match ----

  /** The others of the last room play once more. */
  onInvite(room) {
    if (this.state.room) return;
    this.controls.lobby.loadPeople([room.owner_id]);
    this.change((state) => (state.invite = room));
  }

  /** Once more with the same people: to the room that follows, whoever has opened it. */
  rematch(tableId = this.state.table.tableId) {
    return this.controls.once("room", async () => {
      const { room } = await this.call("Rematch", { table_id: tableId });
      if (this.state.table) this.controls.play.toLobby();
      this.change((state) => {
        state.invite = null;
        state.awayTable = "";
      });
      this.onRoom(room);
      this.controls.lobby.poll();
    });
  }

  /** To the room one is invited to. */
  acceptInvite() {
    const { room_code } = this.state.invite;
    if (this.state.table?.matchEnd) this.controls.play.toLobby();
    return this.join(room_code);
  }

  declineInvite() {
    this.change((state) => (state.invite = null));
  }

  /** The score sheet of the table's match. */
  openSheet() {
    const { tableId } = this.state.table;
    this.controls.dialog({ kind: "sheet", tableId });
    return this.loadSheet(tableId);
  }

  loadSheet(tableId) {
    return this.controls.lobby.part("sheet", async () => {
      const sheet = await this.call("GetRoomSheet", { table_id: tableId });
      this.controls.lobby.loadPeople(sheet.room.places.map((place) => place.player_id));
      this.change((state) => {
        if (state.dialog?.tableId === tableId) state.dialog.sheet = sheet;
      });
    });
  }

  loadPrices() {
    return this.controls.lobby.part("prices", async () => {
      const { prices } = await this.call("ListRoomPrices");
      this.change((state) => (state.roomPrices = prices));
    });
  }
}

// `#/room/<code>`: where the link of a room leads.
import { PageControls } from "./pagecontrols.mjs";
import { placeOf } from "./rooms.mjs";

/** Shows the room of the address to who has no place in it; who has one is brought there. */
export class RoomPageControls extends PageControls {
  fresh() {
    return { code: "", room: null };
  }

  open([code = ""]) {
    if (code !== this.own.code) this.set({ code, room: null });
    if (/^\d{6}$/.test(code)) return this.load();
    return undefined;
  }

  load() {
    return this.part("room", async () => {
      const { code } = this.own;
      const { room } = await this.call("matchmaking/GetRoom", { room_code: code });
      if (code !== this.own.code) return;
      if (placeOf(room, this.state.playerId) && room.state !== "closed") {
        this.controls.router.home();
        this.controls.rooms.onRoom(room);
        this.controls.lobby.poll();
        return;
      }
      this.controls.lobby.loadPeople(room.places.map((place) => place.player_id));
      this.set({ room });
    });
  }

  join() {
    return this.controls.rooms.join(this.own.code);
  }
}

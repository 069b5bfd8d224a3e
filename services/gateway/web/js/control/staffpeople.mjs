// What staff can do about people: find them, look at one, keep him out or let him in, his roles, age and keys.
import { PageControls } from "./pagecontrols.mjs";

/** A list that is read page by page. */
export const list = () => ({ rows: null, next: "", open: 0 });

/** Whether this person may look at others. */
export const isSupport = (state) => state.roles.some((role) => role === "support" || role === "admin");

/** Whether this person may change what others may do. */
export const isAdmin = (state) => state.roles.includes("admin");

export const isPerson = (id) => id?.startsWith("p_");

export const DAY_MS = 86_400_000;
const FOR_EVER = -1;
const DEEDS_SHOWN = 20;

/** The part of `#staff` that is about people. `StaffMoneyControls` adds money, `StaffControls` the rest. */
export class StaffPeopleControls extends PageControls {
  /** `people`: who was found by `query`; `hasMore`: there are more; `person`: the one that is open, with his protection, keys and what staff did. */
  freshPeople() {
    return { people: list(), query: "", hasMore: false, person: null };
  }

  find(text) {
    this.set({ query: text.trim(), people: list() });
    return this.load("people");
  }

  async readPeople() {
    const { query } = this.own;
    if (!query) return { rows: [], next: "", open: 0 };
    const { profiles: rows, has_more: hasMore } = await this.call("accounts/FindPeople", { query });
    this.set({ hasMore });
    return { rows, next: "", open: 0 };
  }

  openPerson(id) {
    if (this.own.person?.id !== id) this.set({ person: { id }, act: null });
    return this.part("person", async () => {
      const [whole, { protection }, { keys }] = await Promise.all([
        this.call("accounts/GetPerson", { player_id: id }),
        this.call("accounts/GetProtection", { player_id: id }),
        this.call("accounts/ListApiKeys", { player_id: id }),
      ]);
      this.about(id, { whole, protection, keys });
      if (!isAdmin(this.state)) return;
      const { entries: deeds } = await this.call("accounts/ListStaffLog", { subject: id, page_size: DEEDS_SHOWN });
      this.about(id, { deeds });
      this.controls.lobby.loadPeople([id, ...deeds.map((one) => one.staff_id)].filter(isPerson));
    });
  }

  about(id, found) {
    if (this.own.person?.id === id) this.set({ person: { ...this.own.person, ...found } });
  }

  /** Do something about a person; undefined: it is none of these deeds. */
  sendAboutPeople(what, id, choice, reason) {
    const player_id = id;
    switch (what) {
      case "suspend":
        return this.call("accounts/SuspendPlayer", { player_id, reason, until_ms: choice === "ever" ? FOR_EVER : Date.now() + Number(choice) * DAY_MS });
      case "lift":
        return this.call("accounts/LiftSuspension", { player_id, reason });
      case "grant":
        return this.call("accounts/GrantRole", { player_id, reason, role: choice });
      case "ungrant":
        return this.call("accounts/RevokeRole", { player_id, reason, role: choice });
      case "band":
        return this.call("accounts/SetAgeBand", { player_id, reason, band: Number(choice) });
      case "unkey":
        return this.call("accounts/RevokeApiKey", { key_id: choice, reason });
      default:
        return undefined;
    }
  }
}

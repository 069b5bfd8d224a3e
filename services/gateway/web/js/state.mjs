// Everything the page shows.
import { ServerClock } from "./lib/countdown.mjs";

/** The state before anything is known. */
export function initialState(storage) {
  return {
    /** `boot`, `door`, `lobby` or `table`. */
    screen: "boot",
    /** As Connection: `connecting`, `ready`, `waiting`, `stopped`. */
    net: "connecting",
    everReady: false,
    /** The last `Goodbye.reason` that waits for the person; "" = none. */
    goodbye: "",
    clock: new ServerClock(),
    /** The first screen: its `mode` (`choose`, `password`), what went wrong, and who this browser knows. */
    door: { mode: "choose", error: "", busy: false, mark: null, name: null, before: [], providers: [] },
    playerId: "",
    /** What this person may do as staff: `support`, `disputes`, `money`, `admin`. */
    roles: [],
    profile: null,
    profiles: new Map(),
    wallet: null,
    signIn: null,
    halls: null,
    games: null,
    statistics: null,
    records: null,
    recordsNext: "",
    record: null,
    /** A round that is looked at again: `{round, steps, at, runs}`. */
    replay: null,
    ticket: null,
    room: null,
    /** A room in which the people of the last one play once more. */
    invite: null,
    /** Friends' rooms one is invited to, the newest first. */
    friendInvites: [],
    /** How many ask to be friends. */
    friendAsks: 0,
    /** What people are to oneself, by player, as far as it was asked for. */
    friendships: new Map(),
    /** What rooms cost, as the service lists it. */
    roomPrices: null,
    /** The game and the rule set that the lobby shows. */
    game: "",
    preset: "",
    /** The page that is open, `{name, path}`, and by name what pages know. */
    page: null,
    pages: {},
    table: null,
    /** A table where the own seat plays on although its player went away. */
    awayTable: "",
    /** A session elsewhere took the table over. */
    replaced: false,
    dialog: null,
    busy: new Set(),
    /** Parts of the page that could not be loaded. */
    failed: new Set(),
    toasts: [],
    chat: { messages: [], open: false, unread: 0, bubbles: new Map() },
    callouts: [],
    ui: { own: {}, sentQuestion: 0, resultOpen: false, reads: {}, kept: null, fair: null },
    settings: readSettings(storage),
  };
}

const PLACE = "paiju.settings";

/** Sound, the order of the hand by game, and the switches of games; what is kept badly counts as not kept. */
export function readSettings(storage) {
  const defaults = { sound: true, orders: {}, switches: {} };
  try {
    const kept = JSON.parse(storage.getItem(PLACE)) ?? {};
    return {
      sound: typeof kept.sound === "boolean" ? kept.sound : defaults.sound,
      orders: kept.orders ?? (kept.order ? { paohuzi: kept.order } : {}),
      switches: kept.switches ?? {},
    };
  } catch {
    return defaults;
  }
}

/** Keep the settings. */
export function keepSettings(storage, settings) {
  try {
    storage.setItem(PLACE, JSON.stringify(settings));
  } catch {
    // Kept for this visit only.
  }
}

// The messages of the protos, by short names.
import { Codec } from "./codec.mjs";

let codec = null;

/** Load the table of messages once; everything else here needs it. */
export async function loadWire(load = loadTable) {
  codec ??= new Codec(await load());
  return codec;
}

async function loadTable() {
  const response = await fetch(new URL("./protos.json", import.meta.url));
  if (!response.ok) throw new Error(`protos.json: ${response.status}`);
  return response.json();
}

const full = (name) => (name.startsWith("paiju.") ? name : `paiju.${name}`);

/** `decode("table.v1.Frame", bytes)`. */
export const decode = (name, bytes) => codec.decode(full(name), bytes);

/** `encode("gateway.v1.PlayRequest", object)`. */
export const encode = (name, object) => codec.encode(full(name), object);

const SERVICES = {
  accounts: "AccountsService",
  chat: "ChatService",
  economy: "EconomyService",
  matchmaking: "MatchmakingService",
  progress: "ProgressService",
  scoring: "ScoringService",
  table: "TableService",
};

/** The full method name of `"matchmaking/CreateTicket"`, with its request and response. */
export function method(short) {
  const [service, name] = short.split("/");
  const path = `paiju.${service}.v1.${SERVICES[service]}/${name}`;
  const types = codec.methods[path];
  if (!types) throw new Error(`the page knows no method ${short}`);
  return { path, request: types[0], response: types[1] };
}

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

/** The full method name of `"matchmaking/CreateTicket"` (in a package no two services share a name), with its request and response. */
export function method(short) {
  const [service, name] = short.split("/");
  const paths = Object.keys(codec.methods).filter((path) => path.startsWith(`paiju.${service}.v1.`) && path.endsWith(`/${name}`));
  if (paths.length !== 1) throw new Error(`the page knows ${paths.length} methods ${short}`);
  const [path] = paths;
  const types = codec.methods[path];
  return { path, request: types[0], response: types[1] };
}

// The guest's key: made once in this browser, kept in localStorage, proven by signing a challenge.
import { hashes, getPublicKey, sign } from "../../vendor/noble-ed25519/ed25519.js";
import { sha512 } from "../../vendor/noble-hashes/sha2.js";
import { fromHex, toHex } from "../../fairdeal.mjs";

hashes.sha512 = sha512;

const PLACE = "paiju.guest_key";
const BEFORE = "paiju.guest_keys.before";
const NAME = "paiju.guest_name";
const KEYS_MAX = 8;
const LABEL = new TextEncoder().encode("paiju-guest-1");

/** The key of this browser's guest, made at the first call. `storage` may refuse to keep it: then it lasts for this visit. */
export function guestKey(storage) {
  const kept = keptSecret(storage);
  if (kept) return { publicKey: getPublicKey(kept), secret: kept };
  const key = freshKey();
  keepKey(storage, key);
  return key;
}

function keptSecret(storage) {
  try {
    const kept = storage.getItem(PLACE);
    return kept && /^[0-9a-f]{64}$/.test(kept) ? fromHex(kept) : null;
  } catch {
    return null;
  }
}

/** Whether this browser has a key already. */
export const hasKey = (storage) => keptSecret(storage) !== null;

/** A key that nobody has yet. */
export function freshKey() {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  return { publicKey: getPublicKey(secret), secret };
}

/** From now on this is the key of this browser; the one before is put aside with the name of its player, for `keysBefore`. */
export function keepKey(storage, key) {
  const before = keptSecret(storage);
  try {
    const aside = keysBefore(storage).filter((one) => one.secret !== toHex(key.secret));
    if (before && toHex(before) !== toHex(key.secret)) aside.push({ secret: toHex(before), name: storage.getItem(NAME) ?? "" });
    storage.setItem(BEFORE, JSON.stringify(aside.slice(-KEYS_MAX)));
    storage.setItem(PLACE, toHex(key.secret));
    storage.removeItem(NAME);
  } catch {
    // A browser that keeps nothing still plays; the guest is a new one at the next visit.
  }
}

/** Keys that this browser had before, `{secret (hex), name}`: nobody loses a guest because he signed in as somebody else. */
export function keysBefore(storage) {
  try {
    const kept = JSON.parse(storage.getItem(BEFORE) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => /^[0-9a-f]{64}$/.test(one?.secret)) : [];
  } catch {
    return [];
  }
}

/** A key from its secret in hex. */
export function keyOf(hex) {
  const secret = fromHex(hex);
  return { publicKey: getPublicKey(secret), secret };
}

/** Remember whose key it is, for the list of those who were here. */
export function nameKey(storage, name) {
  try {
    storage.setItem(NAME, name);
  } catch {
    // He is then listed without a name.
  }
}

/** The name that goes with the key of this browser; "" = not known. */
export function nameOfKey(storage) {
  try {
    return storage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

/** The answer to a challenge. */
export function answer(key, challenge) {
  const message = new Uint8Array(LABEL.length + challenge.length);
  message.set(LABEL);
  message.set(challenge, LABEL.length);
  return sign(message, key.secret);
}

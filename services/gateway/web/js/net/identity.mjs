// The guest's key: made once in this browser, kept in localStorage, proven by signing a challenge.
import { hashes, getPublicKey, sign } from "../../vendor/noble-ed25519/ed25519.js";
import { sha512 } from "../../vendor/noble-hashes/sha2.js";
import { fromHex, toHex } from "../../fairdeal.mjs";

hashes.sha512 = sha512;

const PLACE = "paiju.guest_key";
const LABEL = new TextEncoder().encode("paiju-guest-1");

/** The key of this browser's guest, made at the first call. `storage` may refuse to keep it: then it lasts for this visit. */
export function guestKey(storage) {
  let kept = null;
  try {
    kept = storage.getItem(PLACE);
  } catch {
    kept = null;
  }
  let secret;
  if (kept && /^[0-9a-f]{64}$/.test(kept)) secret = fromHex(kept);
  else {
    secret = crypto.getRandomValues(new Uint8Array(32));
    try {
      storage.setItem(PLACE, toHex(secret));
    } catch {
      // A browser that keeps nothing still plays; the guest is a new one at the next visit.
    }
  }
  return { publicKey: getPublicKey(secret), secret };
}

/** The answer to a challenge. */
export function answer(key, challenge) {
  const message = new Uint8Array(LABEL.length + challenge.length);
  message.set(LABEL);
  message.set(challenge, LABEL.length);
  return sign(message, key.secret);
}

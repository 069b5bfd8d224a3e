// The fair deal in JavaScript: the second implementation of docs/fair-deal.md, used by the page and by tests.
// Runs in browsers and in Node 20. Where crypto.subtle is missing (a page without HTTPS) it uses its own SHA-256.

const LABELS = {
  commit: "paiju-commit-1",
  nonce: "paiju-nonce-1",
  deal: "paiju-deal-1",
  dealer: "paiju-dealer-1",
};
const SECRET_BYTES = 32;
const BLOCK_BYTES = 64;
const WORDS = 2 ** 32;

const utf8 = (text) => new TextEncoder().encode(text);

/** Bytes from hexadecimal text; anything else is refused. */
export function fromHex(text) {
  if (typeof text !== "string" || !/^([0-9a-f]{2})*$/.test(text)) throw new Error(`not lower-case hex: ${text}`);
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

/** Lower-case hexadecimal text of bytes. */
export function toHex(bytes) {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

function join(...parts) {
  const whole = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

// ---- SHA-256 (FIPS 180-4), for pages where the browser hides crypto.subtle ----

function primes(count) {
  const found = [];
  for (let n = 2; found.length < count; n++) if (found.every((p) => n % p)) found.push(n);
  return found;
}

const fraction = (x) => Math.floor((x - Math.floor(x)) * WORDS) >>> 0;
const ROUND_CONSTANTS = primes(64).map((p) => fraction(Math.cbrt(p)));
const START = primes(8).map((p) => fraction(Math.sqrt(p)));
const rotate = (x, by) => (x >>> by) | (x << (32 - by));

/** SHA-256 in plain JavaScript. */
export function sha256Plain(data) {
  const padded = new Uint8Array(Math.ceil((data.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor((data.length * 8) / WORDS));
  view.setUint32(padded.length - 4, (data.length * 8) >>> 0);
  const state = START.slice();
  const w = new Array(64);
  for (let block = 0; block < padded.length; block += BLOCK_BYTES) {
    for (let t = 0; t < 16; t++) w[t] = view.getUint32(block + 4 * t);
    for (let t = 16; t < 64; t++) {
      const s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] >>> 3);
      const s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] >>> 10);
      w[t] = (w[t - 16] + s0 + w[t - 7] + s1) >>> 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[t] + w[t]) >>> 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) >>> 0, c, b, a, (t1 + t2) >>> 0];
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => (state[i] = (state[i] + x) >>> 0));
  }
  const digest = new Uint8Array(SECRET_BYTES);
  state.forEach((x, i) => new DataView(digest.buffer).setUint32(4 * i, x));
  return digest;
}

/** HMAC-SHA256 (RFC 2104) in plain JavaScript. */
export function hmacPlain(key, data) {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256Plain(key) : key);
  const inner = sha256Plain(join(block.map((b) => b ^ 0x36), data));
  return sha256Plain(join(block.map((b) => b ^ 0x5c), inner));
}

const subtle = globalThis.crypto?.subtle;

async function sha256(data) {
  return subtle ? new Uint8Array(await subtle.digest("SHA-256", data)) : sha256Plain(data);
}

async function hmac(key, data) {
  if (!subtle) return hmacPlain(key, data);
  const handle = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", handle, data));
}

// ---- the deal ----

/** Two bytes of length, big-endian, then the bytes. */
export function lp(bytes) {
  if (bytes.length > 0xffff) throw new Error("a part does not fit a two-byte length");
  return join(Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes);
}

function secret(bytes, what) {
  if (bytes.length !== SECRET_BYTES) throw new Error(`${what} has ${bytes.length} bytes, not ${SECRET_BYTES}`);
  return bytes;
}

/** What is published before any nonce: SHA-256 over label, round and seed. */
export async function commitment(roundId, seed) {
  return sha256(join(utf8(LABELS.commit), lp(utf8(roundId)), secret(seed, "the seed")));
}

/** H(x): the link of a nonce chain that was revealed one round before x. */
export async function nextLink(nonce) {
  return sha256(join(utf8(LABELS.nonce), secret(nonce, "a nonce")));
}

/** c_0 … c_rounds from a secret: c_0 goes out at sitting down, c_k in round k. */
export async function nonceChain(seed, rounds) {
  const links = [secret(seed, "the secret")];
  for (let i = 0; i < rounds; i++) links.push(await nextLink(links[links.length - 1]));
  return links.reverse();
}

/** Whether `nonce` is the link that must follow `previous`. */
export async function isRevealed(previous, nonce) {
  return nonce.length === SECRET_BYTES && toHex(await nextLink(nonce)) === toHex(previous);
}

async function streamKey(label, seed, roundId, nonces) {
  const said = nonces.map((nonce) => lp(nonce === null ? new Uint8Array(0) : secret(nonce, "a nonce")));
  return hmac(secret(seed, "the seed"), join(utf8(label), lp(utf8(roundId)), ...said));
}

async function* wordsOf(key) {
  for (let counter = 0; ; counter++) {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(4, counter);
    const block = new DataView((await hmac(key, bytes)).buffer);
    for (let at = 0; at < SECRET_BYTES; at += 4) yield block.getUint32(at);
  }
}

/** A number below `choices`, each equally likely. `words` is any (async) iterator of 32-bit numbers. */
export async function pick(words, choices) {
  const fairBelow = WORDS - (WORDS % choices);
  for (;;) {
    const { value, done } = await words.next();
    if (done) throw new Error("the stream of words ended");
    if (value < fairBelow) return value % choices;
  }
}

/** For each place of the wall the index, in the deck's fixed order, of the card that lies there. Nonces: bytes or null. */
export async function shuffled(seed, roundId, nonces, cards) {
  const words = wordsOf(await streamKey(LABELS.deal, seed, roundId, nonces));
  const wall = Array.from({ length: cards }, (_, i) => i);
  for (let last = cards - 1; last > 0; last--) {
    const other = await pick(words, last + 1);
    [wall[last], wall[other]] = [wall[other], wall[last]];
  }
  return wall;
}

/** The seat that deals round 1 of a match. */
export async function firstDealer(seed, roundId, nonces) {
  if (!nonces.length) throw new Error("no seats");
  return pick(wordsOf(await streamKey(LABELS.dealer, seed, roundId, nonces)), nonces.length);
}

// ---- a whole record (docs/record-format.md) ----

const times = (copies, kinds) => kinds.flatMap((kind) => Array(copies).fill(kind));

/** Kinds of mahjong tiles: the suits from 1 to 9, then the honours. */
const mahjong = (suits, honours) => [...[...suits].flatMap((suit) => [..."123456789"].map((rank) => suit + rank)), ...[...honours].map((rank) => `z${rank}`)];

/** The fixed order of a deck, by game. */
export const DECKS = {
  doudizhu: [...times(4, [..."3456789TJQKA2"]), "B", "R"],
  kawuxing: times(4, mahjong("ps", "567")),
  paohuzi: ["s", "b"].flatMap((size) =>
    Array.from({ length: 10 }, (_, i) => size + (i + 1)).flatMap((card) => [card, card, card, card]),
  ),
  qinghunpeng: [...times(4, mahjong("mps", "1234567")), ...[..."12345678"].map((rank) => `f${rank}`)],
};

/** Whether the first seat of every round is drawn from its own seed, not only that of round 1 (斗地主, by option). */
function drawsEachRound(head) {
  return head.get("Game") === "doudizhu" && JSON.parse(head.get("Options") ?? "{}").first_speaker === "random";
}

/**
 * Check the deal of a record against the commitment that was heard before it.
 *
 * `heard` is hex, or null to use the record's own (which proves less). Never throws on a bad record.
 * Returns {ok, problems, contributed, seats, wall, dealer, round}: `contributed` seats of `seats` gave a nonce.
 */
export async function checkRecord(text, heard = null) {
  const problems = [];
  const head = new Map();
  for (const line of String(text).split("\n\n", 1)[0].split("\n")) {
    const cut = line.indexOf(": ");
    if (cut > 0) head.set(line.slice(0, cut), line.slice(cut + 2));
  }
  const result = { ok: false, problems, contributed: 0, seats: 0, wall: null, dealer: null, round: head.get("Round") ?? null };
  try {
    for (const name of ["Round", "Game", "Dealer", "Commitment", "Seed", "Nonces"]) {
      if (!head.has(name)) throw new Error(`the record has no ${name}`);
    }
    const seed = fromHex(head.get("Seed"));
    const nonces = head.get("Nonces").split(",").map((nonce) => (nonce === "-" ? null : fromHex(nonce)));
    result.seats = nonces.length;
    result.contributed = nonces.filter((nonce) => nonce !== null).length;
    const own = toHex(await commitment(result.round, seed));
    if (own !== head.get("Commitment")) problems.push("the seed does not give the record's commitment");
    if (heard !== null && own !== heard) problems.push("the seed does not give the commitment heard before the deal");
    const deck = DECKS[head.get("Game")];
    if (!deck) throw new Error(`no deck is known for ${head.get("Game")}`);
    result.wall = (await shuffled(seed, result.round, nonces, deck.length)).map((at) => deck[at]);
    result.dealer = Number(head.get("Dealer"));
    if (/\/1$/.test(result.round) || drawsEachRound(head)) {
      const first = await firstDealer(seed, result.round, nonces);
      if (first !== result.dealer) problems.push(`the first dealer should be seat ${first}`);
    }
  } catch (error) {
    problems.push(error.message);
  }
  result.ok = problems.length === 0;
  return result;
}

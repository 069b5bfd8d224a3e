// The nonces of this seat (docs/fair-deal.md): a hash chain per table, kept so that a reload goes on where it stood.
import { fromHex, nonceChain, toHex } from "../../fairdeal.mjs";

const PREFIX = "paiju.nonces.";
const TABLES_MAX = 12;
const SPARE_ROUNDS = 4;

/** Keeps the chain of each table in `storage`; `randomBytes(n)` draws a secret. */
export class NonceChains {
  constructor(storage, randomBytes = (n) => crypto.getRandomValues(new Uint8Array(n))) {
    Object.assign(this, { storage, randomBytes });
    this.links = new Map();
  }

  load(tableId) {
    try {
      const kept = JSON.parse(this.storage.getItem(PREFIX + tableId));
      return kept && /^[0-9a-f]{64}$/.test(kept.secret) && kept.count > 0 ? kept : null;
    } catch {
      return null;
    }
  }

  save(tableId, kept) {
    try {
      this.storage.setItem(PREFIX + tableId, JSON.stringify(kept));
    } catch {
      // Without storage the chain lasts until the page is closed.
    }
  }

  async chain(tableId) {
    const known = this.links.get(tableId);
    if (known) return known;
    const kept = this.load(tableId);
    if (!kept) return null;
    const chain = { ...kept, links: await nonceChain(fromHex(kept.secret), kept.count) };
    this.links.set(tableId, chain);
    return chain;
  }

  /** The head to give at sitting down: the same one however often it is asked for. */
  async head(tableId, rounds, nowMs = Date.now()) {
    let chain = await this.chain(tableId);
    if (!chain) {
      this.tidy();
      const kept = { secret: toHex(this.randomBytes(32)), count: rounds + SPARE_ROUNDS, revealed: [], at: nowMs };
      this.save(tableId, kept);
      this.links.set(tableId, { ...kept, links: await nonceChain(fromHex(kept.secret), kept.count) });
      chain = this.links.get(tableId);
    }
    return chain.links[0];
  }

  /** The nonce of a round, the same however often it is asked for; null if this seat has no chain (any more). */
  async nonce(tableId, roundId) {
    const chain = await this.chain(tableId);
    if (!chain) return null;
    let place = chain.revealed.indexOf(roundId);
    if (place < 0) {
      place = chain.revealed.length;
      if (place + 1 > chain.count) return null;
      chain.revealed.push(roundId);
      const { secret, count, revealed, at } = chain;
      this.save(tableId, { secret, count, revealed, at });
    }
    return chain.links[place + 1];
  }

  /** Forget the oldest chains, so that the storage does not fill up. */
  tidy() {
    const kept = [];
    for (let i = 0; i < (this.storage.length ?? 0); i++) {
      const key = this.storage.key(i);
      if (key?.startsWith(PREFIX)) kept.push([this.load(key.slice(PREFIX.length))?.at ?? 0, key]);
    }
    kept.sort((a, b) => b[0] - a[0]);
    for (const [, key] of kept.slice(TABLES_MAX - 1)) this.storage.removeItem(key);
  }
}

// Signed in or not: gets, keeps and renews the tokens of a session.
import { callHttp } from "./http.mjs";
import { answer, guestKey } from "./identity.mjs";
import { isOutage, Refused } from "./refused.mjs";

const FRESH_MS = 90_000;
const PLACE = "paiju.access";

/**
 * A session of this tab. The key lives in localStorage; the access token is kept for a reload in sessionStorage; the
 * refresh token, which works once, never leaves memory, so that two tabs cannot use the same one twice.
 */
export class Session {
  constructor({ local = localStorage, tab = sessionStorage, call = callHttp, now = Date.now } = {}) {
    Object.assign(this, { local, tab, call, now });
    this.tokens = this.kept();
    this.renewing = null;
    /** Whether the player came to be with this visit: his first gold is then still on its way. */
    this.isNewPlayer = false;
  }

  kept() {
    try {
      const kept = JSON.parse(this.tab.getItem(PLACE));
      return kept && typeof kept.access_token === "string" ? kept : null;
    } catch {
      return null;
    }
  }

  keep(tokens) {
    this.tokens = tokens;
    try {
      const { access_token, access_expires_at_ms, roles } = tokens;
      this.tab.setItem(PLACE, JSON.stringify({ access_token, access_expires_at_ms, roles }));
    } catch {
      // Without storage the next load signs in again.
    }
  }

  /** Forget the tokens: the next `token()` signs in anew. */
  forget() {
    this.tokens = null;
    this.tab.removeItem(PLACE);
  }

  get isFresh() {
    return this.tokens !== null && this.tokens.access_expires_at_ms - this.now() > FRESH_MS;
  }

  /** What this person may do as staff. */
  get roles() {
    return this.tokens?.roles ?? [];
  }

  /** When to renew, in milliseconds from now. */
  get renewInMs() {
    return this.tokens ? Math.max(0, this.tokens.access_expires_at_ms - this.now() - FRESH_MS) : 0;
  }

  /** An access token that still lives for a while. Calls at the same time share one renewal. */
  async token() {
    if (this.isFresh) return this.tokens.access_token;
    this.renewing ??= this.renew().finally(() => (this.renewing = null));
    await this.renewing;
    return this.tokens.access_token;
  }

  async renew() {
    const refresh = this.tokens?.refresh_token;
    if (refresh) {
      try {
        const { tokens } = await this.call("accounts/RefreshSession", { refresh_token: refresh });
        this.keep(tokens);
        return;
      } catch (error) {
        if (!(error instanceof Refused) || isOutage(error)) throw error;
        this.forget();
      }
    }
    await this.signIn();
  }

  async signIn() {
    const key = guestKey(this.local);
    const { challenge } = await this.call("accounts/CreateChallenge", { public_key: key.publicKey });
    const signed = await this.call("accounts/SignInGuest", {
      public_key: key.publicKey,
      challenge,
      signature: answer(key, challenge),
      device: deviceName(),
    });
    this.keep(signed.tokens);
    this.isNewPlayer = Boolean(signed.created);
    return signed;
  }
}

function deviceName() {
  const agent = globalThis.navigator?.userAgent ?? "";
  const known = ["Android", "iPhone", "iPad", "Windows", "Macintosh", "Linux"].find((name) => agent.includes(name));
  return `Paiju page (${known ?? "browser"})`;
}

// Signed in or not: gets, keeps and renews the tokens of a session.
import { callHttp } from "./http.mjs";
import { answer, freshKey, guestKey, hasKey, keepKey } from "./identity.mjs";
import { isOutage, Refused } from "./refused.mjs";

const FRESH_MS = 90_000;
const PLACE = "paiju.access";
const DOOR = "paiju.door";

/** Why the page does not sign in by itself: somebody must choose who he is. */
export const SIGN_IN_NEEDED = "SIGN_IN_NEEDED";

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

  /** `byKey`: whether the key of this browser is a way into the account, so that it can sign in again by itself. */
  keep(tokens, byKey = this.tokens?.byKey ?? true) {
    this.tokens = { ...tokens, byKey };
    try {
      const { access_token, access_expires_at_ms, roles } = tokens;
      this.tab.setItem(PLACE, JSON.stringify({ access_token, access_expires_at_ms, roles, byKey }));
    } catch {
      // Without storage the next load signs in again.
    }
  }

  /** The access token is not taken any more: the next `token()` renews it. */
  expire() {
    if (this.tokens) this.keep({ ...this.tokens, access_expires_at_ms: 0 });
  }

  /** Forget the tokens: the next `token()` signs in anew. */
  forget() {
    if (this.tokens && !this.tokens.byKey) this.mark({ why: "out" });
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

  /** An access token that still lives for a while. Calls at the same time share one renewal; refused with `SIGN_IN_NEEDED`. */
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
    } else if (this.tokens && !this.tokens.byKey) this.forget();
    if (!this.canSignIn) throw new Refused({ reason: SIGN_IN_NEEDED });
    await this.signIn();
  }

  // ---- who one is ----

  /** Whether this browser can sign in by itself: it has a key, and nobody signed out or deleted his account here. */
  get canSignIn() {
    return hasKey(this.local) && this.atDoor === null;
  }

  /** Why somebody must choose who he is although a key is here: `{why: "out"}`, `{why: "deleted", name, deletesAtMs}`, or null. */
  get atDoor() {
    try {
      return JSON.parse(this.local.getItem(DOOR));
    } catch {
      return null;
    }
  }

  mark(why) {
    try {
      if (why) this.local.setItem(DOOR, JSON.stringify(why));
      else this.local.removeItem(DOOR);
    } catch {
      // Without storage there is nothing to sign in with either.
    }
  }

  /** Sign in with the key of this browser; a new key is a new guest. */
  async signIn(key = guestKey(this.local)) {
    const signed = await this.call("accounts/SignInGuest", { ...(await this.proof(key)), device: deviceName() });
    this.entered(signed, true);
    return signed;
  }

  async signInPassword(login_name, password) {
    const signed = await this.call("accounts/SignInPassword", { login_name, password, device: deviceName() });
    this.entered(signed, false);
    return signed;
  }

  /** After the provider sent the browser back. */
  async finishOidc(request) {
    const token = this.isFresh ? this.tokens.access_token : "";
    const signed = await this.call("accounts/FinishOidc", { ...request, device: deviceName() }, token);
    if (signed.tokens?.access_token) this.entered(signed, false);
    return signed;
  }

  entered({ tokens, created = false }, byKey) {
    this.keep(tokens, byKey);
    this.isNewPlayer = Boolean(created);
    this.mark(null);
  }

  /** Let this browser in from now on without a password: a new key of its own becomes a way into the account. */
  async remember() {
    const key = freshKey();
    await this.call("accounts/AddDeviceKey", await this.proof(key), this.tokens.access_token);
    keepKey(this.local, key);
    this.keep(this.tokens, true);
  }

  async proof(key) {
    const { challenge } = await this.call("accounts/CreateChallenge", { public_key: key.publicKey });
    return { public_key: key.publicKey, challenge, signature: answer(key, challenge) };
  }

  /** Nobody is signed in here until somebody chooses to be. The key stays. */
  leave(why = { why: "out" }) {
    this.tokens = null;
    this.tab.removeItem(PLACE);
    this.mark(why);
  }
}

function deviceName() {
  const agent = globalThis.navigator?.userAgent ?? "";
  const known = ["Android", "iPhone", "iPad", "Windows", "Macintosh", "Linux"].find((name) => agent.includes(name));
  return `Paiju page (${known ?? "browser"})`;
}

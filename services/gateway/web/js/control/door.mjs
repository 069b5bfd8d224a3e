// The first screen: who somebody is, where the page cannot know it by itself.
import { keepKey, keyOf, keysBefore, freshKey, nameOfKey, hasKey } from "../net/identity.mjs";
import { currentLanguage, t } from "../lib/i18n.mjs";
import { Refused, wordsOf } from "../net/refused.mjs";

const FLOW = "paiju.oidc";

/** Things to do at the door. */
export class DoorControls {
  constructor(controls) {
    this.controls = controls;
  }

  get session() {
    return this.controls.session;
  }

  get own() {
    return this.controls.state.door;
  }

  set(changes) {
    this.controls.change((state) => Object.assign(state.door, changes));
  }

  /** At the start: in by what this browser has, or by what a provider sent back; else the door. */
  async start() {
    const back = this.sentBack();
    if (back) await this.cameBack(back);
    if (this.session.isFresh || this.session.canSignIn) await this.controls.connection.open();
    else this.show();
  }

  /** Somebody must choose. */
  show() {
    const { local } = this.session;
    this.controls.change((state) => {
      state.screen = "door";
      state.door = { ...state.door, mark: this.session.atDoor, name: hasKey(local) ? nameOfKey(local) : null, before: keysBefore(local) };
    });
    this.loadProviders();
  }

  async loadProviders() {
    try {
      const { providers } = await this.session.call("accounts/ListOidcProviders", {});
      this.set({ providers });
    } catch {
      // Without a list there is a key and a password.
    }
  }

  mode(mode) {
    this.set({ mode, error: "" });
  }

  /** Do one thing; what goes wrong is said at the door. Returns whether it worked. */
  async attempt(work) {
    if (this.own.busy) return false;
    this.set({ busy: true, error: "" });
    try {
      await work();
      return true;
    } catch (error) {
      this.set({ error: error instanceof Refused ? wordsOf(error, currentLanguage(), t("error.refused")) : t("error.unreachable") });
      return false;
    } finally {
      this.set({ busy: false });
    }
  }

  async enter(work) {
    if (!(await this.attempt(work))) return;
    this.controls.change((state) => (state.screen = "boot"));
    await this.controls.connection.open();
  }

  /** As the guest of this browser, who is made if there is none. Cancels the deletion of his account. */
  playAsGuest() {
    return this.enter(async () => {
      const { deletion_cancelled } = await this.session.signIn();
      if (deletion_cancelled) this.controls.toast(t("door.undeleted"), "good");
    });
  }

  /** As somebody new; who was here before stays in the list. */
  playAsNew() {
    return this.enter(async () => {
      const key = freshKey();
      await this.session.signIn(key);
      keepKey(this.session.local, key);
    });
  }

  /** As somebody who was here before. */
  playAsBefore(secret) {
    return this.enter(async () => {
      const key = keyOf(secret);
      await this.session.signIn(key);
      keepKey(this.session.local, key);
    });
  }

  signIn(loginName, password, remembers) {
    return this.enter(async () => {
      const { deletion_cancelled } = await this.session.signInPassword(loginName, password);
      if (deletion_cancelled) this.controls.toast(t("door.undeleted"), "good");
      if (remembers) await this.rememberHere();
    });
  }

  /** A browser that cannot be remembered is let in all the same. */
  async rememberHere() {
    try {
      await this.session.remember();
    } catch (error) {
      this.controls.fail(error);
    }
  }

  // ---- by way of a provider ----

  /** Send the browser to a provider: to sign in, or to make the identity there a way into the account. */
  async toProvider(providerId, { link = false, remembers = false } = {}) {
    const token = link ? await this.session.token() : "";
    const begun = await this.session.call("accounts/BeginOidc", { provider_id: providerId, link }, token);
    sessionStorage.setItem(FLOW, JSON.stringify({ flow: [...begun.flow], link, remembers }));
    location.assign(begun.authorization_url);
  }

  withProvider(providerId, remembers) {
    return this.attempt(() => this.toProvider(providerId, { remembers }));
  }

  /** What a provider sent back with the browser, with what was kept here when it left; the address forgets it at once. */
  sentBack() {
    const query = new URLSearchParams(location.search);
    const kept = sessionStorage.getItem(FLOW);
    if (!query.has("state") || !kept) return null;
    sessionStorage.removeItem(FLOW);
    history.replaceState(null, "", location.pathname + location.hash);
    return { ...JSON.parse(kept), state: query.get("state"), code: query.get("code") ?? "" };
  }

  async cameBack({ flow, link, remembers, state, code }) {
    const isDone = await this.attempt(async () => {
      const done = await this.session.finishOidc({ flow: new Uint8Array(flow), state, code });
      if (done.linked) this.controls.toast(t("security.linked"), "good");
      else if (remembers) await this.rememberHere();
    });
    if (link && !isDone) this.controls.toast(this.own.error, "bad");
    if (link) history.replaceState(null, "", `${location.pathname}#security`);
  }

  /** Sign out here: nobody is signed in until somebody chooses who he is. */
  async signOut() {
    try {
      await this.controls.call("accounts/RevokeSession", {});
    } catch {
      // The tokens are forgotten all the same, and end by themselves.
    }
    this.leave();
  }

  /** Forget who was here and begin again from the first screen. */
  leave(why) {
    this.controls.connection.close();
    this.session.leave(why);
    history.replaceState(null, "", location.pathname);
    location.reload();
  }
}

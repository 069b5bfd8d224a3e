// Who may come in as this player, from where; keys for programs; his data, and its end.
import { toHex } from "../../fairdeal.mjs";
import { t } from "../lib/i18n.mjs";
import { guestKey, hasKey } from "../net/identity.mjs";
import { saveText } from "../view/download.mjs";
import { PageControls } from "./pagecontrols.mjs";

const OVERLAP_DEFAULT_S = -1;
const WAIT_MS = 1_000;
const WAITS_MAX = 10;

/** Things to do on the page `#security`. */
export class SecurityControls extends PageControls {
  /** `asks`: what waits for a yes; `secret`: of a key, shown once; `typed`: what the forms hold, for what is said beside them. */
  fresh() {
    return { ways: null, providers: [], sessions: null, keys: null, asks: "", secret: null, typed: {}, scopes: [], exported: 0 };
  }

  open() {
    this.loadWays();
    this.loadSessions();
    this.loadKeys();
    this.part("providers", async () => this.set({ providers: (await this.call("accounts/ListOidcProviders", {})).providers }));
  }

  /** A secret that was shown is not kept. */
  close() {
    this.set({ secret: null, asks: "", typed: {}, scopes: [] });
  }

  ask(what) {
    this.set({ asks: what });
  }

  type(field, value) {
    this.set({ typed: { ...this.own.typed, [field]: value } });
  }

  // ---- ways in ----

  loadWays() {
    return this.part("ways", async () => this.set({ ways: (await this.call("accounts/ListWaysIn", {})).ways }));
  }

  /** The public half of this browser's key, in hex; "" if it has none. */
  get ownKey() {
    const { local } = this.controls.session;
    return hasKey(local) ? toHex(guestKey(local).publicKey) : "";
  }

  removeWay({ kind, id }) {
    return this.once("way", async () => {
      const { ways } = await this.call("accounts/RemoveWayIn", { kind, id });
      this.set({ ways, asks: "" });
    });
  }

  rememberHere() {
    return this.once("remember", async () => {
      await this.controls.session.token();
      await this.controls.session.remember();
      this.controls.toast(t("security.remembered"), "good");
      await this.loadWays();
    });
  }

  link(providerId) {
    return this.once("link", () => this.controls.door.toProvider(providerId, { link: true }));
  }

  setPassword({ login, password, current }) {
    return this.once("password", async () => {
      await this.call("accounts/SetPassword", { login_name: login, password, current_password: current });
      this.set({ typed: {} });
      this.controls.toast(t("security.password.saved"), "good");
      await Promise.all([this.loadWays(), this.loadSessions()]);
      return true;
    });
  }

  // ---- devices ----

  loadSessions() {
    return this.part("sessions", async () => this.set({ sessions: (await this.call("accounts/ListSessions", {})).sessions }));
  }

  revoke(sessionId) {
    return this.once("revoke", async () => {
      await this.call("accounts/RevokeSession", { session_id: sessionId });
      this.set({ asks: "", sessions: this.own.sessions.filter((one) => one.session_id !== sessionId) });
      this.controls.toast(t("security.device.gone"), "good");
    });
  }

  revokeOthers() {
    return this.once("revoke", async () => {
      const { revoked } = await this.call("accounts/RevokeOtherSessions", {});
      this.set({ asks: "", sessions: this.own.sessions.filter((one) => one.is_current) });
      this.controls.toast(t("security.others.done", { count: revoked }), "good");
    });
  }

  // ---- keys for programs ----

  loadKeys() {
    return this.part("keys", async () => this.set({ keys: (await this.call("accounts/ListApiKeys", {})).keys }));
  }

  toggleScope(scope) {
    const { scopes } = this.own;
    this.set({ scopes: scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope].sort() });
  }

  createKey(name) {
    return this.once("key", async () => {
      const { key, secret } = await this.call("accounts/CreateApiKey", { name, scopes: this.own.scopes });
      this.set({ keys: [key, ...(this.own.keys ?? [])], secret: { keyId: key.key_id, text: secret }, scopes: [] });
      return true;
    });
  }

  rotateKey(keyId) {
    return this.once("key", async () => {
      const { key, secret } = await this.call("accounts/RotateApiKey", { key_id: keyId, overlap_s: OVERLAP_DEFAULT_S });
      this.set({ asks: "", keys: this.own.keys.map((one) => (one.key_id === keyId ? key : one)), secret: { keyId, text: secret } });
    });
  }

  revokeKey(keyId) {
    return this.once("key", async () => {
      await this.call("accounts/RevokeApiKey", { key_id: keyId });
      this.set({ asks: "", secret: null });
      await this.loadKeys();
    });
  }

  // ---- the own data ----

  /** Fetch everything, page by page, and save it as one file. Parts of the same name follow each other. */
  exportData() {
    return this.once("export", async () => {
      const found = {};
      let token = "";
      let count = 0;
      do {
        const { parts, next_page_token } = await this.patiently("accounts/ExportMyData", { page_token: token });
        for (const { service, name, json } of parts) {
          const value = JSON.parse(json);
          const of = (found[service] ??= {});
          of[name] = Array.isArray(value) ? [...(of[name] ?? []), ...value] : { ...of[name], ...value };
        }
        token = next_page_token;
        count += parts.length;
        this.set({ exported: count });
      } while (token);
      saveText(`paiju-${this.state.playerId}.json`, JSON.stringify(found, null, 1));
      this.set({ exported: 0 });
    });
  }

  /** A call that waits its turn where there are too many: what is long comes in many pages. */
  async patiently(method, request) {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.call(method, request);
      } catch (error) {
        if (error.reason !== "RATE_LIMITED" || tries >= WAITS_MAX) throw error;
        await new Promise((done) => setTimeout(done, WAIT_MS));
      }
    }
  }

  /** The account goes after the grace; here nobody is signed in from now on. Not over the connection, which ends with it. */
  deleteAccount({ nickname, current }) {
    return this.once("delete", async () => {
      const { session } = this.controls;
      const token = await session.token();
      const { deletes_at_ms: deletesAtMs } = await session.call("accounts/DeleteAccount", { nickname, current_password: current }, token);
      this.controls.door.leave({ why: "deleted", name: this.state.profile.nickname, deletesAtMs });
    });
  }
}

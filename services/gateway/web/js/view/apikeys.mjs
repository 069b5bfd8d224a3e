// Keys for programs that act as the player.
import { grouped, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { copyText } from "./download.mjs";
import { icon } from "./icons.mjs";
import { confirmed, field, nothing, panel, timeWords } from "./parts.mjs";
import { waitFor } from "./waitfor.mjs";

const SCOPES = ["play", "friends", "profile", "records.read", "records.share", "wallet.read"];

/** Describe the panel of keys. */
export function apiKeys(state, controls, mine) {
  const { keys } = mine.own;
  return panel(
    "keys",
    t("security.keys"),
    {},
    h("p.soft", {}, t("security.keys.words")),
    keys ? (keys.length ? h("ul.rows", {}, keys.map((key) => keyRow(controls, mine, key))) : nothing(t("security.keys.none"))) : waitFor(state, "security.keys", () => mine.loadKeys()),
    h("details.make", { key: "make" }, h("summary", {}, t("security.key.create")), make(mine)),
  );
}

function keyRow(controls, mine, key) {
  const { asks, secret } = mine.own;
  const isGood = !key.revoked_at_ms;
  const rotates = `rotate ${key.key_id}`;
  const revokes = `revoke ${key.key_id}`;
  const old = key.secrets.find((one) => one.expires_at_ms);
  const facts = [key.scopes.map((scope) => t(`security.scope.${scope}`)).join(t("comma")), key.used_at_ms ? t("security.key.used", { when: timeWords(key.used_at_ms) }) : t("security.key.unused")];
  return h(
    "li.row",
    { key: key.key_id, "data-key": key.key_id, class: isGood ? "" : "gone" },
    icon("key"),
    h(
      "span.row-what",
      {},
      h("span", {}, key.name),
      h("span.soft", {}, isGood ? facts.join(" · ") : t("security.key.revoked", { when: timeWords(key.revoked_at_ms) })),
      isGood ? h("span.soft", {}, t("security.key.quota", { minute: grouped(key.per_minute), day: grouped(key.per_day) })) : null,
      isGood && old ? h("span.soft", {}, t("security.key.old", { prefix: old.prefix, when: timeWords(old.expires_at_ms) })) : null,
    ),
    isGood && ![rotates, revokes].includes(asks)
      ? h(
          "span.row-buttons",
          {},
          h("button.plain", { "data-button": "rotate", onclick: () => mine.ask(rotates) }, t("security.key.rotate")),
          h("button.plain", { "data-button": "revoke-key", onclick: () => mine.ask(revokes) }, t("security.key.revoke")),
        )
      : null,
    confirmed(asks === rotates, t("security.key.rotate.words"), t("security.key.rotate"), () => mine.rotateKey(key.key_id), () => mine.ask(""), { tone: "primary", busy: mine.isBusy("key") }),
    confirmed(asks === revokes, t("security.key.revoke.words"), t("security.key.revoke"), () => mine.revokeKey(key.key_id), () => mine.ask(""), { busy: mine.isBusy("key") }),
    secret?.keyId === key.key_id ? shown(controls, mine, secret.text) : null,
  );
}

/** The secret, this once. */
function shown(controls, mine, text) {
  const copy = async () => controls.toast((await copyText(text)) ? t("security.key.copied") : text);
  return h(
    "div.secret",
    { key: "secret", role: "status" },
    h("p", {}, t("security.key.secret")),
    h("code.secret-text", { tabindex: "0" }, text),
    h("div.page-buttons", {}, h("button.plain", { "data-button": "copy", onclick: copy }, icon("copy"), t("security.key.copy")), h("button.primary", { "data-button": "saved", onclick: () => mine.set({ secret: null }) }, t("security.key.saved"))),
  );
}

function make(mine) {
  const { scopes } = mine.own;
  const submit = async (event) => {
    event.preventDefault();
    const form = event.target;
    if (await mine.createKey(form.elements.name.value.trim())) {
      form.reset();
      form.closest("details").open = false;
    }
  };
  return h(
    "form.page-form",
    { onsubmit: submit },
    field("name", { label: t("security.key.name"), type: "text", required: true, maxlength: 64 }),
    h("span.field-label", { id: "scopes" }, t("security.key.scopes")),
    h(
      "div.page-chips",
      { role: "group", "aria-labelledby": "scopes" },
      SCOPES.map((scope) => h("button.chip", { key: scope, type: "button", "data-scope": scope, "aria-pressed": String(scopes.includes(scope)), onclick: () => mine.toggleScope(scope) }, t(`security.scope.${scope}`))),
    ),
    h("div.page-buttons", {}, scopes.length ? null : h("span.soft", {}, t("security.key.pick")), h("button.primary", { type: "submit", "data-button": "create-key", disabled: !scopes.length || mine.isBusy("key") }, t("security.key.create"))),
  );
}

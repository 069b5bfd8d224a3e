// The first screen: who somebody is.
import { currentLanguage, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { chips, field, notice, timeWords } from "./parts.mjs";

/** Describe the door. */
export function doorScreen(state, controls) {
  const { door } = state;
  return h(
    "main.door",
    { key: "door", "data-mode": door.mode },
    h("h1.boot-word", {}, t("app.name")),
    h(
      "section.panel",
      { "aria-label": t("door.title") },
      door.error ? notice(door.error, "bad", { "data-error": "" }) : null,
      door.mode === "password" ? byPassword(state, controls) : choices(state, controls),
    ),
    chips("language", t("settings.language"), [["zh-CN", "中文"], ["en", "English"]], currentLanguage(), (value) => controls.language(value)),
  );
}

function choices(state, controls) {
  const { door } = state;
  const mine = controls.door;
  const deleted = door.mark?.why === "deleted" ? door.mark : null;
  const isKnown = door.name !== null;
  return [
    deleted ? notice(t("door.deleted", { name: deleted.name, when: timeWords(deleted.deletesAtMs) }), "bad", { "data-deleted": "" }) : h("p.soft", {}, t("door.words")),
    h(
      "button.primary.door-button",
      { key: "guest", "data-button": "guest", disabled: door.busy, onclick: () => mine.playAsGuest() },
      icon(deleted ? "back" : "person"),
      deleted ? t("door.undelete") : isKnown ? t("door.again", { name: door.name || t("door.guest") }) : t("door.guest.new"),
    ),
    h("button.plain.door-button", { key: "password", "data-button": "password", disabled: door.busy, onclick: () => mine.mode("password") }, icon("key"), t("door.password")),
    door.providers.map(({ provider_id, title }) =>
      h("button.plain.door-button", { key: provider_id, "data-provider": provider_id, disabled: door.busy, onclick: () => mine.withProvider(provider_id, true) }, icon("lock"), t("door.provider", { title })),
    ),
    door.before.map(({ secret, name }, at) =>
      h("button.plain.door-button", { key: `before-${at}`, "data-button": "before", disabled: door.busy, onclick: () => mine.playAsBefore(secret) }, icon("person"), t("door.again", { name: name || t("door.guest") })),
    ),
    isKnown ? h("button.plain.door-button", { key: "new", "data-button": "new", disabled: door.busy, onclick: () => mine.playAsNew() }, icon("person"), t("door.someone")) : null,
  ];
}

function byPassword(state, controls) {
  const { door } = state;
  const mine = controls.door;
  const submit = (event) => {
    event.preventDefault();
    const { login, password, remember } = event.target.elements;
    mine.signIn(login.value.trim(), password.value, remember.checked);
  };
  return h(
    "form.door-form",
    { key: "password", onsubmit: submit },
    field("login", { label: t("security.login"), type: "text", autocomplete: "username", autocapitalize: "none", spellcheck: "false", required: true, maxlength: 32 }),
    field("password", { label: t("security.password"), type: "password", autocomplete: "current-password", required: true, maxlength: 128 }),
    h("label.check", {}, h("input", { type: "checkbox", name: "remember", oncreate: (node) => (node.checked = true) }), h("span", {}, t("door.remember"), h("span.soft", {}, t("door.remember.about")))),
    h(
      "div.page-buttons",
      {},
      h("button.plain", { type: "button", onclick: () => mine.mode("choose") }, t("page.up")),
      h("button.primary", { type: "submit", disabled: door.busy }, t("door.enter")),
    ),
  );
}

// Who may come in, from where, and what becomes of the account.
import { currentLanguage, t, tOr } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { apiKeys } from "./apikeys.mjs";
import { icon } from "./icons.mjs";
import { confirmed, field, notice, panel, timeWords } from "./parts.mjs";
import { waitFor } from "./waitfor.mjs";

const PASSWORD_MIN = 10;
const LOGIN = /^[a-z0-9][a-z0-9_.-]{2,31}$/;

/** Describe the page `#security`. */
export function securityPage(state, controls) {
  const mine = controls.pages.security;
  return [ways(state, mine), password(mine), devices(state, controls, mine), apiKeys(state, controls, mine), data(state, mine)];
}

// ---- ways in ----

function ways(state, mine) {
  const { ways: all, providers, asks } = mine.own;
  if (!all) return panel("ways", t("security.ways"), {}, waitFor(state, "security.ways", () => mine.loadWays()));
  const isOnly = all.length === 1;
  const ownKey = mine.ownKey;
  const isHere = all.some((way) => way.kind === "key" && way.id === ownKey);
  const linked = new Set(all.filter((way) => way.kind === "oidc").map((way) => way.id));
  return panel(
    "ways",
    t("security.ways"),
    {},
    isOnly && all[0].kind === "key" ? notice(t("security.ways.alone"), "bad", { "data-alone": "" }) : h("p.soft", {}, t("security.ways.words")),
    h("ul.rows", {}, all.map((way) => wayRow(mine, way, ownKey, isOnly, asks))),
    h(
      "div.page-buttons.at-start",
      {},
      isHere ? null : h("button.plain", { key: "remember", "data-button": "remember", disabled: mine.isBusy("remember"), onclick: () => mine.rememberHere() }, icon("device"), t("security.remember")),
      providers
        .filter((one) => !linked.has(one.provider_id))
        .map((one) => h("button.plain", { key: one.provider_id, "data-provider": one.provider_id, disabled: mine.isBusy("link"), onclick: () => mine.link(one.provider_id) }, icon("lock"), t("security.link", { title: one.title }))),
    ),
  );
}

function wayRow(mine, way, ownKey, isOnly, asks) {
  const name = `way ${way.kind} ${way.id}`;
  const isHere = way.kind === "key" && way.id === ownKey;
  const words = way.kind === "key" ? t("security.way.key") : t(`security.way.${way.kind}`, { id: way.kind === "oidc" ? `${way.id} · ${way.title}` : way.id });
  return h(
    "li.row",
    { key: name, "data-way": way.kind },
    icon(way.kind === "key" ? "device" : way.kind === "password" ? "key" : "lock"),
    h(
      "span.row-what",
      {},
      h("span", {}, words, isHere ? h("span.tag", {}, t("security.way.key.here")) : null),
      h("span.soft", {}, t("security.way.since", { when: timeWords(way.created_at_ms) }), way.kind === "key" ? ` · ${way.id.slice(0, 8)}` : ""),
    ),
    asks === name
      ? null
      : h("button.plain", { "data-button": "remove", disabled: isOnly, title: isOnly ? t("security.way.last") : null, onclick: () => mine.ask(name) }, t("security.way.remove")),
    confirmed(asks === name, t("security.way.remove.words"), t("security.way.remove"), () => mine.removeWay(way), () => mine.ask(""), { busy: mine.isBusy("way") }),
  );
}

// ---- the password ----

function password(mine) {
  const { ways: all, typed } = mine.own;
  if (!all) return null;
  const before = all.find((way) => way.kind === "password");
  const wrong = wrongWith(typed);
  const typing = (name) => ({ oninput: (event) => mine.type(name, event.target.value) });
  const submit = async (event) => {
    event.preventDefault();
    const { login, password: chosen, current } = event.target.elements;
    const form = event.target;
    if (await mine.setPassword({ login: login.value.trim().toLowerCase(), password: chosen.value, current: current?.value ?? "" })) {
      for (const one of [chosen, form.elements.again, current]) if (one) one.value = "";
    }
  };
  return panel(
    "password",
    t(before ? "security.password.change" : "security.password.set"),
    {},
    h("p.soft", {}, t("security.password.words")),
    h(
      "form.page-form",
      { key: before ? "change" : "set", onsubmit: submit },
      field("login", {
        label: t("security.login"),
        hint: t("security.login.about"),
        error: wrong.login,
        fill: before?.id ?? "",
        type: "text",
        autocomplete: "username",
        autocapitalize: "none",
        spellcheck: "false",
        required: true,
        maxlength: 32,
        ...typing("login"),
      }),
      before ? field("current", { label: t("security.password.current"), type: "password", autocomplete: "current-password", required: true, maxlength: 128 }) : null,
      field("password", { label: t("security.password.new"), hint: t("security.password.about"), error: wrong.password, type: "password", autocomplete: "new-password", required: true, maxlength: 128, ...typing("password") }),
      field("again", { label: t("security.password.again"), error: wrong.again, type: "password", autocomplete: "new-password", required: true, maxlength: 128, ...typing("again") }),
      h("div.page-buttons", {}, h("button.primary", { type: "submit", disabled: mine.isBusy("password") || !isWhole(typed, wrong) }, t("save"))),
    ),
  );
}

/** What is wrong with what was typed so far, by field; nothing is wrong with what was not begun. */
function wrongWith({ login = "", password: chosen = "", again = "" }) {
  return {
    login: login && !LOGIN.test(login.trim().toLowerCase()) ? t("security.login.bad") : "",
    password: chosen && chosen.length < PASSWORD_MIN ? t("security.password.short", { count: PASSWORD_MIN - chosen.length }) : "",
    again: again && again !== chosen ? t("security.password.differ") : "",
  };
}

const isWhole = (typed, wrong) => Boolean(typed.password) && typed.again === typed.password && !Object.values(wrong).some(Boolean);

// ---- devices ----

function devices(state, controls, mine) {
  const { sessions, asks } = mine.own;
  const others = (sessions ?? []).filter((one) => !one.is_current);
  return panel(
    "devices",
    t("security.devices"),
    {},
    h("p.soft", {}, t("security.devices.words")),
    sessions ? h("ul.rows", {}, sessions.map((one) => deviceRow(mine, one, asks))) : waitFor(state, "security.sessions", () => mine.loadSessions()),
    h(
      "div.page-buttons.at-start",
      {},
      h("button.plain", { key: "out", "data-button": "out", onclick: () => mine.ask("out") }, t("security.out")),
      others.length ? h("button.plain", { key: "others", "data-button": "others", onclick: () => mine.ask("others") }, t("security.others")) : null,
    ),
    confirmed(asks === "out", t("security.out.words"), t("security.out"), () => controls.door.signOut(), () => mine.ask("")),
    confirmed(asks === "others", t("security.others.words"), t("security.others"), () => mine.revokeOthers(), () => mine.ask(""), { busy: mine.isBusy("revoke") }),
  );
}

function deviceRow(mine, one, asks) {
  const name = `session ${one.session_id}`;
  const [way, provider = ""] = one.way.split(":");
  return h(
    "li.row",
    { key: name, "data-session": one.session_id },
    icon("device"),
    h(
      "span.row-what",
      {},
      h("span", {}, one.device || one.network, one.is_current ? h("span.tag", {}, t("security.device.here")) : null),
      h("span.soft", {}, [one.network, provider || tOr(`security.session.way.${way}`, "security.session.way.guest"), t("security.device.used", { when: timeWords(one.used_at_ms) })].join(" · ")),
    ),
    one.is_current || asks === name ? null : h("button.plain", { "data-button": "revoke", onclick: () => mine.ask(name) }, t("security.device.out")),
    confirmed(asks === name, t("security.device.out.words"), t("security.device.out"), () => mine.revoke(one.session_id), () => mine.ask(""), { busy: mine.isBusy("revoke") }),
  );
}

// ---- the own data ----

function data(state, mine) {
  const { exported, asks, ways: all } = mine.own;
  const name = state.profile?.nickname ?? "";
  const hasPassword = all?.some((way) => way.kind === "password");
  const submit = (event) => {
    event.preventDefault();
    const { nickname, current } = event.target.elements;
    mine.deleteAccount({ nickname: nickname.value.trim(), current: current?.value ?? "" });
  };
  return panel(
    "data",
    t("security.data"),
    {},
    h("p.soft", {}, t("security.data.words")),
    h(
      "div.page-buttons.at-start",
      {},
      h("button.plain", { key: "export", "data-button": "export", disabled: mine.isBusy("export"), onclick: () => mine.exportData() }, icon("save"), exported ? t("security.export.parts", { count: exported }) : t("security.export")),
      asks === "delete" ? null : h("button.danger", { key: "delete", "data-button": "delete", onclick: () => mine.ask("delete") }, t("security.delete")),
    ),
    asks === "delete"
      ? h(
          "form.page-form.confirm",
          { key: "delete", lang: currentLanguage(), onsubmit: submit },
          h("p", {}, t("security.delete.words")),
          field("nickname", { label: t("security.delete.nickname", { name }), type: "text", required: true, maxlength: 64 }),
          hasPassword ? field("current", { label: t("security.password.current"), type: "password", autocomplete: "current-password", required: true, maxlength: 128 }) : null,
          h(
            "div.page-buttons",
            {},
            h("button.plain", { type: "button", onclick: () => mine.ask("") }, t("cancel")),
            h("button.danger", { type: "submit", "data-button": "delete-yes", disabled: mine.isBusy("delete") }, t("security.delete.yes")),
          ),
        )
      : null,
  );
}

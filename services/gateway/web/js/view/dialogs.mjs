// What opens over the page: a frame, and by kind what is in it.
import { allSettings, gameOf } from "../games/registry.mjs";
import { takeFocus } from "../lib/focus.mjs";
import { currentLanguage, grouped, localised, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { peopleHere, personDialog } from "./friends.mjs";
import { recordDialog, recordsDialog, statisticsDialog } from "./history.mjs";
import { icon } from "./icons.mjs";
import { keypad } from "./keypad.mjs";
import { watchersDialog } from "./leave.mjs";
import { pagesMenu } from "./pageframe.mjs";
import { orderOf, setOrder } from "./order.mjs";
import { optionWords } from "./optionvalue.mjs";
import { catalogue, changesOf, nearestPreset, presetsOf } from "./presets.mjs";
import { waitFor } from "./waitfor.mjs";
import { closeDialog, placeDialog, shareDialog } from "./room.mjs";
import { roomChange, roomForm } from "./roomform.mjs";
import { sheetDialog } from "./sheet.mjs";

const KINDS = {
  settings: { title: "settings.title", body: settings },
  pages: { title: "pages.title", body: pagesMenu },
  signin: { title: "signin.title", body: signIn },
  statistics: { title: "stats.title", body: statisticsDialog, wide: true },
  records: { title: "records.title", body: recordsDialog, wide: true },
  record: { title: "record.title", body: recordDialog, wide: true },
  create: { title: "room.create", body: roomForm, wide: true },
  join: { title: "room.join", body: keypad },
  change: { title: "room.change.title", body: roomChange, wide: true },
  place: { title: "room.place", body: placeDialog },
  share: { title: "room.invite", body: shareDialog },
  close: { title: "room.close", body: closeDialog },
  person: { title: "friends.person", body: personDialog },
  sheet: { title: "sheet.title", body: sheetDialog, wide: true },
  watchers: { title: "let.watchers", body: watchersDialog },
  menu: { title: "menu.title", body: menu },
  leave: { title: "leave.title", body: leave },
  dissolve: { title: "dissolve.title", body: dissolve },
  rules: { title: "rules.title", body: rules, wide: true },
};

/** Describe the open dialog. */
export function dialog(state, controls) {
  const { title, body, wide } = KINDS[state.dialog.kind];
  return h(
    "div.veil",
    { key: `dialog-${state.dialog.kind}`, onclick: (event) => event.target === event.currentTarget && controls.closeDialog() },
    h(
      "section.dialog",
      { role: "dialog", "aria-modal": "true", "aria-label": t(title), class: wide ? "wide" : "" },
      h(
        "header.dialog-head",
        {},
        h("h2", {}, t(title)),
        h("button.icon-button", { "aria-label": t("close"), onclick: () => controls.closeDialog(), oncreate: takeFocus }, icon("close")),
      ),
      h("div.dialog-body", {}, body(state, controls)),
    ),
  );
}

function choice(label, options, current, pick) {
  return h(
    "div.choice",
    { role: "radiogroup", "aria-label": label },
    h("span.choice-label", {}, label),
    h("span.choice-options", {}, options.map(([value, words]) => h("button.chip", { key: String(value), role: "radio", "aria-checked": String(value === current), onclick: () => pick(value) }, words))),
  );
}

function settings(state, controls) {
  const { sound, switches } = state.settings;
  const face = gameOf(state.table?.game || state.game);
  return [
    choice(t("settings.language"), [["zh-CN", "中文"], ["en", "English"]], currentLanguage(), (value) => controls.language(value)),
    choice(t("settings.sound"), [[true, t("on")], [false, t("off")]], sound, (value) => controls.setting("sound", value)),
    face.orders ? choice(t("settings.order"), face.orders.map((order) => [order, t(`settings.order.${order}`)]), orderOf(state, face), (order) => setOrder(controls, state, face, order)) : null,
    allSettings().map(({ name, words }) => choice(t(words), [[true, t("on")], [false, t("off")]], switches[name] ?? false, (value) => controls.setting("switches", { ...switches, [name]: value }))),
    h("p.hint", {}, t(face.keys ?? "settings.keys")),
    h("p.hint", {}, t("settings.player", { id: state.playerId })),
  ];
}

function signIn(state, controls) {
  const sign = state.signIn;
  if (!sign) return waitFor(state, "signin", () => controls.lobby.loadSignIn());
  return [
    h("p.hint", {}, t("signin.streak", { days: sign.streak })),
    h(
      "ol.days",
      {},
      sign.rewards.map((gold, at) => {
        const done = at < sign.reward_index || (at === sign.reward_index && sign.signed_in);
        return h(
          "li.day",
          { key: at, class: `${done ? "done" : ""} ${at === sign.reward_index ? "today" : ""}` },
          h("span.day-name", {}, t("signin.day", { day: at + 1 })),
          h("span.coin.large", { "aria-hidden": "true" }),
          h("b", {}, grouped(gold)),
          done ? h("span.day-done", { "aria-label": t("signin.done"), role: "img" }, icon("check")) : null,
        );
      }),
    ),
    h(
      "div.dialog-buttons",
      {},
      h("button.primary", { disabled: sign.signed_in || state.busy.has("sign_in"), onclick: () => controls.lobby.signInToday() }, t(sign.signed_in ? "signin.done" : "signin.now")),
    ),
  ];
}

function menu(state, controls) {
  const { table } = state;
  const item = (key, words, onclick, tone = "plain") => h(`button.${tone}.menu-item`, { key, onclick }, words);
  const playing = table?.me && !table.matchEnd;
  return h(
    "div.menu",
    {},
    table ? peopleHere(state, controls, table.seats.map((seat) => seat?.player_id)) : null,
    item("rules", t("rules.title"), () => controls.dialog({ kind: "rules" })),
    table?.roomCode && table.me ? item("sheet", t("sheet.title"), () => controls.rooms.openSheet()) : null,
    document.fullscreenEnabled ? item("full", t(document.fullscreenElement ? "full.off" : "full.on"), () => fullScreen(controls)) : null,
    item("pages", t("pages.title"), () => controls.dialog({ kind: "pages" })),
    item("lobby", t("menu.lobby"), () => controls.play.toLobby()),
    playing ? item("dissolve", t("dissolve.title"), () => controls.dialog({ kind: "dissolve" })) : null,
    playing ? item("leave", t("leave.title"), () => controls.dialog({ kind: "leave" }), "danger") : null,
  );
}

/** Let the page fill the screen, lying down where the device can. */
async function fullScreen(controls) {
  controls.closeDialog();
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else {
      await document.documentElement.requestFullscreen();
      await screen.orientation?.lock?.("landscape");
    }
  } catch {
    // A device that cannot turn its screen by itself still shows the page in full.
  }
}

function confirm(words, yes, onYes, controls, tone = "primary") {
  return [
    h("p", {}, words),
    h("div.dialog-buttons", {}, h("button.plain", { onclick: () => controls.closeDialog() }, t("cancel")), h(`button.${tone}`, { onclick: onYes }, yes)),
  ];
}

function leave(state, controls) {
  return confirm(t(state.table?.roomCode ? "leave.words.room" : "leave.words"), t("leave.yes"), () => controls.play.leave(), controls, "danger");
}

function dissolve(state, controls) {
  return confirm(t("dissolve.words"), t("dissolve.yes"), () => controls.play.vote(true), controls);
}

function rules(state) {
  const name = state.table?.game || state.room?.game || state.game;
  const options = rulesShown(state, name);
  const game = catalogue(state, name);
  const near = nearestPreset(state, name, options, presetShown(state));
  const rows = (shown, isMarked) =>
    shown.flatMap((option) => {
      const isChanged = near.changed.includes(option.name);
      const usual = isMarked && isChanged ? h("span.option-usual", {}, t("rules.usual", { value: optionWords(option, near.options[option.name], name) })) : null;
      return [
        h("dt", { key: `${option.name}.t`, class: isChanged ? "changed" : "", "data-option": option.name }, localised(option)),
        h("dd", { key: `${option.name}.d`, class: isChanged ? "changed" : "" }, optionWords(option, options[option.name], name), usual),
        h("dd.option-text", { key: `${option.name}.w`, class: isChanged ? "changed" : "" }, localised(option, "text")),
      ];
    });
  return [
    near?.changed.length
      ? h("section.rules-changed", { key: "changed" }, h("h3", {}, t("rules.changed", { preset: near.title, count: near.changed.length })), h("dl.options", {}, rows(game.options.filter((option) => near.changed.includes(option.name)), true)))
      : null,
    gameOf(name).rules(options),
    near ? h("details", { key: "all" }, h("summary", {}, t("rules.options")), h("dl.options", {}, rows(game.options, false))) : null,
  ];
}

/** The preset of the table, else of the room, else the one chosen in the lobby; changed rules have none. */
function presetShown(state) {
  const { table, room } = state;
  if (table?.known) return table.preset.split("@")[0];
  return room?.preset ?? state.preset;
}

/** The options of the table, else of the room, else of the rules chosen in the lobby. */
function rulesShown(state, game) {
  const { table, room } = state;
  if (table?.round.dealt) return table.round.options;
  if (table?.known) return table.options;
  return { ...presetsOf(state, game, [room?.preset ?? state.preset])[0].options, ...(room ? changesOf(room) : {}) };
}

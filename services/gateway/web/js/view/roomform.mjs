// Opening a friends' room: preset, rounds, and every option of the rules.
import { localised, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { optionValue, optionWords } from "./optionvalue.mjs";
import { waitFor } from "./waitfor.mjs";
import { MONEY, catalogue, presetsOf } from "./presets.mjs";

const ROUNDS = [1, 4, 8, 16, 32];

/** The options that differ from the preset's. */
export function changedOptions(preset, chosen) {
  return Object.fromEntries(Object.entries(chosen).filter(([name, value]) => value !== preset[name]));
}

/** Describe the form. Its draft lies in the dialog. */
export function roomForm(state, controls) {
  const draft = state.dialog;
  const name = draft.game ?? state.game;
  const game = catalogue(state, name) ?? state.games?.[0];
  if (!game) return waitFor(state, "games", () => controls.lobby.loadGames());
  const presets = presetsOf(state, game.game, game.presets.map((one) => one.preset));
  const preset = presets.find((one) => one.preset === (draft.preset ?? state.preset)) ?? presets[0];
  const rounds = draft.rounds ?? 8;
  const chosen = draft.options ?? {};
  const set = (work) => controls.change((s) => work(s.dialog));
  const changed = changedOptions(preset.options, chosen);
  // The draft is read at the click: a number typed last tells its change only when the button takes the focus.
  const create = () => controls.lobby.createRoom({ game: game.game, preset: preset.preset, options: changedOptions(preset.options, draft.options ?? {}), rounds });
  const games = state.games.length > 1 ? state.games : [];
  return [
    games.length
      ? labelled(t("room.game"), h("div.chips.game-chips", { role: "radiogroup", "aria-label": t("room.game") }, games.map((one) => h("button.chip", { key: one.game, role: "radio", "data-game": one.game, "aria-checked": String(one === game), onclick: () => set((d) => Object.assign(d, { game: one.game, preset: null, options: {} })) }, localised(one), h("span.chip-note", {}, t("game.seats", { count: one.seats }))))))
      : null,
    labelled(t("room.preset"), h("div.chips.preset-chips", { role: "radiogroup", "aria-label": t("room.preset") }, presets.map((one) => h("button.chip", { key: one.preset, role: "radio", "aria-checked": String(one === preset), onclick: () => set((d) => Object.assign(d, { preset: one.preset, options: {} })) }, one.title)))),
    labelled(t("room.rounds"), h("div.chips.round-chips", { role: "radiogroup", "aria-label": t("room.rounds") }, ROUNDS.map((count) => h("button.chip", { key: count, role: "radio", "aria-checked": String(count === rounds), onclick: () => set((d) => (d.rounds = count)) }, t("room.rounds.count", { count }))))),
    h(
      "details.room-options",
      {},
      h("summary", {}, t("room.options"), Object.keys(changed).length ? ` · ${t("room.options.changed", { count: Object.keys(changed).length })}` : ""),
      h("div.option-list", {}, game.options.filter((option) => !MONEY.has(option.name)).map((option) => optionRow(option, { game: game.game, preset, chosen, set }))),
    ),
    h("div.dialog-buttons", {}, h("button.primary", { disabled: state.busy.has("room"), onclick: create }, t("room.create"))),
  ];
}

const labelled = (label, chips) => h("div.labelled", {}, h("h3", {}, label), chips);

function optionRow(option, { game, preset, chosen, set }) {
  const value = option.name in chosen ? chosen[option.name] : preset.options[option.name];
  const pick = (next) => set((draft) => (draft.options = { ...draft.options, [option.name]: next }));
  const isChanged = value !== preset.options[option.name];
  return h(
    "div.option",
    { key: `${preset.preset}/${option.name}`, class: isChanged ? "changed" : "" },
    h("span.option-title", { title: option.text_en || null }, localised(option), " ", h("span.option-rule", {}, option.rule)),
    control(game, option, value, pick),
  );
}

function control(game, option, value, pick) {
  const label = localised(option);
  if (option.type === "bool") {
    return h("button.switch", { role: "switch", "aria-checked": String(value), "aria-label": label, onclick: () => pick(!value) }, optionValue(value));
  }
  if (option.type === "enum") {
    return h("select.select", { "aria-label": label, value: String(value), onchange: (event) => pick(event.target.value) }, option.values.map((one) => h("option", { key: one, value: one, selected: one === value }, optionWords(option, one, game))));
  }
  return h("input.number", {
    type: "number",
    "aria-label": label,
    min: option.minimum,
    max: option.maximum,
    step: 1,
    placeholder: option.optional ? t("option.none") : null,
    required: !option.optional,
    value: value === null || value === undefined ? "" : String(value),
    onchange: (event) => {
      const number = readNumber(event.target.value, option);
      if (number !== null || option.optional) pick(number);
      // What cannot be is not kept; what was cut to the range is shown so.
      event.target.value = String(number ?? (option.optional ? "" : value));
    },
  });
}

/** A whole number within the option's range; empty means none. */
export function readNumber(text, option) {
  if (text.trim() === "") return null;
  const number = Math.round(Number(text));
  if (!Number.isFinite(number)) return null;
  return Math.min(option.maximum, Math.max(option.minimum, number));
}

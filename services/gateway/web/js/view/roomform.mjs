// What a friends' room plays: for opening one, and for changing it before its match. Every option of the rules is there.
import { grouped, localised, t } from "../lib/i18n.mjs";
import { balanceOf } from "../game/wallet.mjs";
import { h } from "../lib/vdom.mjs";
import { optionValue, optionWords } from "./optionvalue.mjs";
import { voiceWords } from "./room.mjs";
import { waitFor } from "./waitfor.mjs";
import { MONEY, catalogue, changesOf, presetsOf } from "./presets.mjs";

const ROUNDS = [1, 4, 8, 16, 32];
const SCORES = [30, 60, 100, 200];
/** A match to a score lasts at most so many rounds. */
const ROUNDS_TO_SCORE = 64;
const SCORE_MAX = 100_000;
const PAYERS = ["owner", "each", "winner"];
const WATCHING = ["no", "ask", "yes"];
const CHATS = ["all", "phrases", "no"];

/** The options that differ from the preset's. */
export function changedOptions(preset, chosen) {
  return Object.fromEntries(Object.entries(chosen).filter(([name, value]) => value !== preset[name]));
}

/** The draft that says what a room plays now. */
const draftOf = (room) => ({ game: room.game, preset: room.preset, rounds: room.rounds, level: room.level, options: changesOf(room), rules: { ...room.rules } });

/** Describe the form for changing the room one owns. */
export function roomChange(state, controls) {
  if (!state.room) return h("p", {}, t("room.closed"));
  if (!state.dialog.rules) Object.assign(state.dialog, draftOf(state.room));
  return roomForm(state, controls, { changes: true });
}

/** Describe the form. Its draft lies in the dialog. */
export function roomForm(state, controls, { changes = false } = {}) {
  const draft = state.dialog;
  const name = draft.game ?? state.game;
  const game = catalogue(state, name) ?? state.games?.[0];
  if (!game) return waitFor(state, "games", () => controls.lobby.loadGames());
  if (!state.roomPrices && !state.failed.has("prices") && !draft.asked) {
    draft.asked = true;
    queueMicrotask(() => controls.rooms.loadPrices());
  }
  const presets = presetsOf(state, game.game, game.presets.map((one) => one.preset));
  const preset = presets.find((one) => one.preset === (draft.preset ?? state.preset)) ?? presets[0];
  const set = (work) => controls.change((s) => work(s.dialog));
  // The draft is read at the click: a number typed last tells its change only when the button takes the focus.
  const wish = () => wishOf(state, draft, game, preset);
  const shown = wish();
  const games = !changes && state.games.length > 1 ? state.games : [];
  const changed = changedOptions(preset.options, draft.options ?? {});
  const agree = (rule, value) => set((d) => (d.rules = { ...d.rules, [rule]: value }));
  const levels = levelsOf(state, game.game, preset.preset);
  return [
    games.length ? choice("game", "room.game", games.map((one) => [one.game, [localised(one), h("span.chip-note", {}, t("game.seats", { count: one.seats }))], { "data-game": one.game }]), game.game, (value) => set((d) => Object.assign(d, { game: value, preset: null, options: {}, level: "" }))) : null,
    choice("preset", "room.preset", presets.map((one) => [one.preset, one.title]), preset.preset, (value) => set((d) => Object.assign(d, { preset: value, options: {}, level: "" }))),
    labelled("room.length", h("div", {}, lengthChips(shown, set, draft), shown.rules.to_score ? scoreField(draft, shown, agree) : null)),
    levels.length ? choice("level", "room.stake", [["", t("room.for_points")], ...levels], shown.level, (value) => set((d) => (d.level = value))) : null,
    choice("payer", "room.payer", PAYERS.map((value) => [value, t(`room.payer.${value}`)]), shown.rules.payer, (value) => agree("payer", value)),
    price(state, shown),
    choice("chat", "room.chat", CHATS.map((value) => [value, t(`room.chat.${value}`)]), shown.rules.chat, (value) => agree("chat", value)),
    voiceChoice(shown, agree),
    choice("watching", "room.watching", WATCHING.map((value) => [value, t(`room.watching.${value}`)]), shown.rules.watching, (value) => agree("watching", value)),
    h(
      "details.room-options",
      {},
      h("summary", {}, t("room.options"), Object.keys(changed).length ? ` · ${t("room.options.changed", { count: Object.keys(changed).length })}` : ""),
      h("div.option-list", {}, game.options.filter((option) => !MONEY.has(option.name)).map((option) => optionRow(option, { game: game.game, preset, chosen: draft.options ?? {}, set }))),
    ),
    h(
      "div.dialog-buttons",
      {},
      changes ? h("span.form-hint", {}, t("room.change.hint")) : null,
      h("button.primary", { "data-button": "go", disabled: state.busy.has("room"), onclick: () => (changes ? controls.rooms.changeRules(wish()) : controls.rooms.create(wish())) }, t(changes ? "room.change.save" : "room.create")),
    ),
  ];
}

/** What is asked of the service. */
function wishOf(state, draft, game, preset) {
  const rules = { to_score: 0, payer: PAYERS[0], chat: CHATS[0], watching: WATCHING[0], voice: false, ...draft.rules };
  const known = levelsOf(state, game.game, preset.preset).some(([level]) => level === draft.level);
  return {
    game: game.game,
    preset: preset.preset,
    options: changedOptions(preset.options, draft.options ?? {}),
    rounds: rules.to_score ? ROUNDS_TO_SCORE : (draft.rounds ?? 8),
    level: known ? draft.level : "",
    rules,
  };
}

/** The levels of the halls at which these rules are played for gold: `[level, words]`. */
function levelsOf(state, game, preset) {
  const halls = (state.halls ?? []).filter((hall) => hall.game === game && hall.preset === preset && hall.level);
  return halls.map((hall) => [hall.level, [localised(hall, "level"), h("span.chip-note", {}, t("hall.stake", { stake: grouped(hall.base_stake) }))]]);
}

/** Whether one may talk: it is agreed on only, and the form says so. */
function voiceChoice(shown, agree) {
  const chips = chipsOf("voice", t("room.voice"), [false, true].map((value) => [value, t(voiceWords(value))]), shown.rules.voice, (value) => agree("voice", value));
  return labelled("room.voice", h("div", {}, chips, h("p.soft.voice-words", {}, t("room.voice.words"))));
}

const labelled = (words, chips) => h("div.labelled", { key: words }, h("h3", {}, t(words)), chips);

/** One of several chips: `options` is a list of `[value, words, props?]`. */
function choice(name, words, options, current, pick) {
  return labelled(words, chipsOf(name, t(words), options, current, pick));
}

function chipsOf(name, label, options, current, pick) {
  return h(
    `div.chips.${name}-chips`,
    { role: "radiogroup", "aria-label": label, "data-chips": name },
    options.map(([value, words, props = {}]) => h("button.chip", { key: String(value), role: "radio", "aria-checked": String(value === current), "data-value": String(value), onclick: () => pick(value), ...props }, words)),
  );
}

/** By rounds, or to a score. */
function lengthChips(shown, set, draft) {
  const { to_score: score } = shown.rules;
  const byRounds = (count) => set((d) => Object.assign(d, { rounds: count, rules: { ...d.rules, to_score: 0 } }));
  const rounds = ROUNDS.includes(shown.rounds) || score ? ROUNDS : [...ROUNDS, shown.rounds];
  const toScore = () => set((d) => (d.rules = { ...d.rules, to_score: d.lastScore ?? SCORES[2] }));
  return h(
    "div.chips.round-chips",
    { role: "radiogroup", "aria-label": t("room.length"), "data-chips": "length" },
    rounds.map((count) => h("button.chip", { key: count, role: "radio", "data-value": count, "aria-checked": String(!score && count === (draft.rounds ?? 8)), onclick: () => byRounds(count) }, t("room.rounds.count", { count }))),
    h("button.chip", { key: "score", role: "radio", "data-value": "score", "aria-checked": String(score > 0), onclick: toScore }, t("room.by_score")),
  );
}

function scoreField(draft, shown, agree) {
  const score = shown.rules.to_score;
  const pick = (value) => {
    draft.lastScore = value;
    agree("to_score", value);
  };
  return h(
    "div.score-row",
    { key: "score" },
    chipsOf("score", t("room.score"), SCORES.map((value) => [value, String(value)]), score, pick),
    h("input.number", {
      type: "number",
      "aria-label": t("room.score"),
      min: 1,
      max: SCORE_MAX,
      value: String(score),
      onchange: (event) => {
        const value = readNumber(event.target.value, { minimum: 1, maximum: SCORE_MAX });
        if (value !== null) pick(value);
        event.target.value = String(value ?? score);
      },
    }),
    h("span.soft.score-words", {}, t("room.score.words", { rounds: ROUNDS_TO_SCORE })),
  );
}

/** What the room costs, and what one has. */
function price(state, shown) {
  const step = shown.rules.to_score ? state.roomPrices?.find((one) => !one.rounds_max) : state.roomPrices?.find((one) => one.rounds_max && shown.rounds <= one.rounds_max);
  if (!step) return null;
  const count = shown.rules.payer === "each" ? step.cards_each : step.cards;
  const have = balanceOf(state.wallet, "room_card");
  const short = count > (have ?? count);
  return h(
    "p.room-price",
    { key: "price", "data-cards": count, class: short ? "short" : "" },
    count ? t(`room.pays.${shown.rules.payer}`, { count }) : t("room.pays.nothing"),
    have === undefined ? "" : ` · ${t("room.cards.have", { count: have })}`,
    count ? ` · ${t("room.cards.bots")}` : "",
  );
}

function optionRow(option, { game, preset, chosen, set }) {
  const value = option.name in chosen ? chosen[option.name] : preset.options[option.name];
  const pick = (next) => set((draft) => (draft.options = { ...draft.options, [option.name]: next }));
  const isChanged = value !== preset.options[option.name];
  return h(
    "div.option",
    { key: `${preset.preset}/${option.name}`, class: isChanged ? "changed" : "" },
    h("span.option-title", {}, localised(option)),
    control(game, option, value, pick),
    h("p.option-text", { id: textId(option) }, localised(option, "text")),
  );
}

/** The sentence on an option is read out with what changes it. */
const textId = (option) => `option-text-${option.name}`;

function control(game, option, value, pick) {
  const named = { "aria-label": localised(option), "aria-describedby": textId(option) };
  if (option.type === "bool") {
    return h("button.switch", { role: "switch", "aria-checked": String(value), ...named, onclick: () => pick(!value) }, optionValue(value));
  }
  if (option.type === "enum") {
    return h("select.select", { ...named, value: String(value), onchange: (event) => pick(event.target.value) }, option.values.map((one) => h("option", { key: one, value: one, selected: one === value }, optionWords(option, one, game))));
  }
  return h("input.number", {
    type: "number",
    ...named,
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

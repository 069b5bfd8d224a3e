// A round that is looked at again: the table as it stood, the way through it, and what stands beside it.
import { SPEEDS } from "../control/replay.mjs";
import { seenBy, seenFromAbove } from "../game/replay.mjs";
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { nameOfPlayer } from "./people.mjs";
import { presetTitle } from "./presets.mjs";
import { replayPanel } from "./replaypanels.mjs";
import { playground, tableClass } from "./table.mjs";

/** What was folded last: a change of anything else folds nothing anew. */
let folded = { scripts: null, seat: -1, at: -1, isAbove: false, table: null };

function fold({ round, seat, at, isAbove }) {
  const before = folded;
  if (before.scripts === round.scripts && before.seat === seat && before.at === at && before.isAbove === isAbove) return before.table;
  const table = isAbove ? seenFromAbove(round, seat, at) : seenBy(round, seat, at);
  folded = { scripts: round.scripts, seat, at, isAbove, table };
  return table;
}

/** Somebody whom this platform does not know (a record from elsewhere) is called by his seat. */
function withNames(state) {
  const { players } = state.replay.round;
  const unknown = players.map((id, seat) => [id, seat]).filter(([id]) => id.startsWith("p_") && !state.profiles.has(id));
  if (!unknown.length) return state;
  const named = unknown.map(([id, seat]) => [id, { nickname: t("replay.player", { seat: seat + 1 }) }]);
  return { ...state, profiles: new Map([...state.profiles, ...named]) };
}

/** Describe the replay. */
export function replayScreen(now, controls) {
  const state = withNames(now);
  const { replay } = state;
  const table = fold(replay);
  const then = { ...state, table, callouts: [], chat: { ...state.chat, bubbles: new Map() }, ui: { ...state.ui, own: table.face.newUi() } };
  // Nothing can be done in what is over.
  const still = { ...controls, sound: { play() {} }, play: { asked: [], ui: then.ui.own, act() {}, setUi() {} } };
  return h(
    "main.table.replay",
    {
      key: "replay",
      class: `${tableClass(table)} ${replay.isAbove ? "from-above" : ""} ${replay.panel ? "has-panel" : ""}`,
      "data-step": replay.at,
      "data-seat": replay.seat,
      "data-game": table.game,
    },
    bar(state, controls, table),
    playground(then, still),
    way(replay, controls),
    h("p.rotate-hint", { key: "rotate" }, t("rotate")),
    replay.panel ? replayPanel(state, controls, table) : null,
  );
}

function bar(state, controls, table) {
  const { replay } = state;
  const { round } = replay;
  const tab = (name, sign, words) =>
    h("button.bar-button", { key: name, "data-button": name, "aria-pressed": String(replay.panel === name), "aria-label": words, title: words, onclick: () => controls.replay.panel(name) }, icon(sign));
  return h(
    "header.bar",
    { key: "bar" },
    h("button.bar-button", { "aria-label": t("close"), "data-button": "close", onclick: () => controls.replay.close() }, icon("back")),
    h(
      "p.bar-info",
      {},
      h("span.bar-preset", {}, t("replay.title")),
      h("span", {}, presetTitle(state, table.game, table.preset, t("room.custom"))),
      h("span.bar-round", {}, round.rounds ? t("table.round", { now: table.roundNo, all: round.rounds }) : t("replay.round", { now: table.roundNo })),
    ),
    h(
      "div.bar-buttons",
      {},
      eyes(state, controls),
      replay.isMine ? star(state, controls) : null,
      round.answers.length ? tab("lesson", "lamp", t("replay.lesson")) : null,
      tab("score", "list", t("replay.score")),
      replay.isMine || round.record.length ? tab("share", "share", t("replay.share")) : null,
    ),
  );
}

/** Through whose eyes: one seat after the other, and from above. */
function eyes(state, controls) {
  const { replay } = state;
  const { round, seat, isAbove } = replay;
  if (round.scripts.size < 2) return null;
  const name = nameOfPlayer(state, round.players[seat], seat);
  return [
    h(
      "button.bar-button.replay-seat",
      { key: "seat", "data-button": "seat", "aria-label": t("replay.seat", { who: name }), title: t("replay.seat", { who: name }), onclick: () => controls.replay.turn() },
      icon("users"),
      h("span.replay-name", {}, name),
    ),
    h(
      "button.bar-button",
      { key: "above", "data-button": "above", "aria-pressed": String(isAbove), "aria-label": t("replay.above"), title: t("replay.above"), onclick: () => controls.replay.above() },
      icon("eye"),
    ),
  ];
}

function star({ replay, busy }, controls) {
  const { isFavourite } = replay.round;
  const words = t(isFavourite ? "replay.unstar" : "replay.star");
  return h(
    "button.bar-button.star",
    {
      key: "star",
      "data-button": "star",
      "aria-pressed": String(isFavourite),
      "aria-label": words,
      title: words,
      disabled: busy.has("replay.favourite"),
      onclick: () => controls.replay.favourite(isFavourite ? null : ""),
    },
    icon("star"),
  );
}

/** A click leaves the focus where it is, so that the space bar goes on to play and pause. */
const keepFocus = (event) => event.preventDefault();

/** The way through: where one is, to either end, step by step, by itself. */
function way(replay, controls) {
  const last = replay.round.steps.length - 1;
  const button = (name, sign, onclick, disabled) =>
    h("button.step", { key: name, "aria-label": t(`replay.${name}`), title: t(`replay.${name}`), "data-step-by": name, disabled, onpointerdown: keepFocus, onclick }, sign);
  const seconds = Math.round((replay.round.steps[replay.at]?.at_ms ?? 0) / 1000);
  return h(
    "section.actions.replay-way",
    { key: "way", "aria-label": t("replay.way") },
    h(
      "p.replay-now",
      {},
      t("replay.step", { now: replay.at + 1, all: last + 1 }),
      seconds ? h("span.replay-time", {}, ` ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`) : null,
    ),
    h("input.replay-seek", {
      key: "seek",
      type: "range",
      min: "0",
      max: String(last),
      step: "1",
      value: String(replay.at),
      "aria-label": t("replay.seek"),
      "aria-valuetext": t("replay.step", { now: replay.at + 1, all: last + 1 }),
      oninput: ({ currentTarget }) => controls.replay.seek(Number(currentTarget.value)),
    }),
    h(
      "div.replay-buttons",
      {},
      button("first", icon("first"), () => controls.replay.seek(0), replay.at === 0),
      button("back", icon("back"), () => controls.replay.step(-1), replay.at === 0),
      button("run", icon(replay.runs ? "pause" : "play"), () => controls.replay.run(), false),
      button("on", icon("on"), () => controls.replay.step(1), replay.at === last),
      button("last", icon("last"), () => controls.replay.seek(last), replay.at === last),
      h(
        "button.step.speed",
        { key: "speed", "data-button": "speed", onpointerdown: keepFocus, "aria-label": t("replay.speed", { times: replay.speed }), title: t("replay.speed", { times: replay.speed }), onclick: () => controls.replay.faster() },
        `${SPEEDS.includes(replay.speed) ? replay.speed : 1}×`,
      ),
    ),
  );
}

// A round that is looked at again: the table as it stood, and the way through it.
import { tableAt } from "../game/replay.mjs";
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { presetTitle } from "./presets.mjs";
import { playground, tableClass } from "./table.mjs";

/** Describe the replay. */
export function replayScreen(state, controls) {
  const { replay } = state;
  const table = tableAt(replay.round, replay.steps[replay.at]);
  const then = { ...state, table, callouts: [], chat: { ...state.chat, bubbles: new Map() }, ui: { ...state.ui, own: table.face.newUi() } };
  // Nothing can be done in what is over.
  const still = { ...controls, sound: { play() {} }, play: { asked: [], ui: then.ui.own, act() {}, setUi() {} } };
  return h(
    "main.table.replay",
    { key: "replay", class: tableClass(table), "data-step": replay.at, "data-game": table.game },
    h(
      "header.bar",
      { key: "bar" },
      h("button.bar-button", { "aria-label": t("close"), "data-button": "close", onclick: () => controls.replay.close() }, icon("back")),
      h("p.bar-info", {}, h("span.bar-preset", {}, t("replay.title")), h("span", {}, presetTitle(state, table.game, table.preset, t("room.custom"))), h("span", {}, t("table.round", { now: table.roundNo, all: table.rounds }))),
    ),
    playground(then, still),
    buttons(replay, controls),
  );
}

function buttons(replay, controls) {
  const last = replay.steps.length - 1;
  const button = (name, sign, onclick, disabled) =>
    h("button.act.step", { key: name, "aria-label": t(`replay.${name}`), "data-step-by": name, disabled, onclick }, sign);
  return h(
    "section.actions",
    { key: "actions" },
    h("p.act-clock", {}, t("replay.step", { now: replay.at + 1, all: last + 1 })),
    h(
      "div.act-row",
      {},
      button("back", "‹", () => controls.replay.step(-1), replay.at === 0),
      button("run", replay.runs ? "❚❚" : "▶", () => controls.replay.run(), replay.at === last && !replay.runs),
      button("on", "›", () => controls.replay.step(1), replay.at === last),
    ),
  );
}

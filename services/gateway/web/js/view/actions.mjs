// The buttons between rounds, under 托管 and for who watches; during a round they are the game's.
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { clockFace } from "./ticker.mjs";
import { watchStrip } from "./watch.mjs";

/** Describe the buttons for the open question, or for the time between rounds. */
export function actionBar(state, controls) {
  const { table } = state;
  return h("section.actions", { key: "actions", "aria-label": t("actions.title") }, content(state, controls, table), watchStrip(state, controls));
}

function content(state, controls, table) {
  if (table.matchEnd || table.phase === "between" || table.phase === "finished") return between(state, controls, table);
  if (table.me?.auto_play) {
    return h("button.act.wide", { key: "back", onclick: () => controls.play.autoPlay(false) }, t("auto.stop"));
  }
  return [table.face.buttons(state, controls), waiting(state, table)];
}

function waiting(state, table) {
  const sent = table.question && state.ui.sentQuestion === table.question.number;
  return sent ? h("p.act-sent", { key: "sent" }, t("act.sent")) : null;
}

function between(state, controls, table) {
  // The open result has these buttons itself.
  if (state.ui.resultOpen) return null;
  const buttons = [];
  if (table.roundEnd) buttons.push(h("button.act.wide", { key: "result", onclick: () => controls.play.showResult(true) }, t("result.show")));
  if (table.matchEnd) buttons.push(h("button.act.wide.main", { key: "lobby", onclick: () => controls.play.toLobby() }, t("match.lobby")));
  else if (table.me && !table.me.ready && !table.short.length) {
    buttons.push(h("button.act.wide.main", { key: "ready", "data-action": "ready", disabled: state.busy.has("ready"), onclick: () => controls.play.ready() }, t("result.ready"), " ", countdown(table)));
  }
  return h("div.act-row", { key: "row" }, buttons);
}

/** Seconds until the next round opens by itself. */
export function countdown(table) {
  const at = table.roundEnd?.next_round_at_ms;
  return at ? clockFace(at) : null;
}

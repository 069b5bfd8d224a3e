// The buttons: only what is legal now.
import { claimKeys } from "../control/keys.mjs";
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { card } from "./cardview.mjs";
import { waitsRow } from "./waits.mjs";
import { clockFace } from "./ticker.mjs";

/** Describe the buttons for the open question, or for the time between rounds. */
export function actionBar(state, controls) {
  const { table } = state;
  return h("section.actions", { key: "actions", "aria-label": t("actions.title") }, content(state, controls, table));
}

function content(state, controls, table) {
  if (table.matchEnd || table.phase === "between" || table.phase === "finished") return between(state, controls, table);
  if (table.me?.auto_play) {
    return h("button.act.wide", { key: "back", onclick: () => controls.play.autoPlay(false) }, t("auto.stop"));
  }
  const { actions } = controls.play;
  const keys = claimKeys(actions);
  const buttons = keys.map((key, at) =>
    h(
      `button.act.act-${key}`,
      {
        key,
        "data-action": key,
        "aria-keyshortcuts": String(at + 1),
        "aria-expanded": key === "chi" && actions.chis.length > 1 ? String(state.ui.chiOpen) : null,
        onclick: () => (key === "chi" ? controls.play.eat() : controls.play.act(key)),
      },
      h("span.act-word", {}, t(`act.${key}`)),
    ),
  );
  const selected = state.ui.selected?.card;
  const canPlay = selected && actions.discards.has(selected);
  if (actions.discards.size) {
    buttons.push(
      h(
        "button.act.act-discard",
        { key: "discard", "data-action": "discard", disabled: !canPlay, onclick: () => controls.play.discard(selected) },
        h("span.act-word", {}, t("act.discard")),
      ),
    );
  }
  if (!buttons.length) return [waitsRow(state), waiting(state, table)];
  const question = table.question;
  return [
    actions.discards.size ? (canPlay ? waitsRow(state, selected) : null) : waitsRow(state),
    h("p.act-clock", { key: "clock" }, actions.discards.size && !canPlay ? t("act.pick") : t("act.choose"), " ", clockFace(question.deadline_at_ms), t("seconds")),
    h("div.act-row", { key: "row" }, buttons),
  ];
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
  else if (table.me && !table.me.ready) {
    buttons.push(h("button.act.wide.main", { key: "ready", "data-action": "ready", disabled: state.busy.has("ready"), onclick: () => controls.play.ready() }, t("result.ready"), " ", countdown(table)));
  }
  return h("div.act-row", { key: "row" }, buttons);
}

/** Seconds until the next round opens by itself. */
export function countdown(table) {
  const at = table.roundEnd?.next_round_at_ms;
  return at ? clockFace(at) : null;
}

/** The ways to eat, as little groups of cards. */
export function chiChooser(state, controls) {
  const { chis } = controls.play.actions;
  if (!chis.length) return null;
  const offered = state.table.round.shown?.card;
  return h(
    "div.chi-chooser",
    { key: "chi", role: "group", "aria-label": t("chi.title") },
    chis.map(({ action, melds }, at) =>
      h(
        "button.chi-way",
        { key: action, "data-chi": action, "aria-keyshortcuts": String(at + 1), onclick: () => controls.play.act(action) },
        melds.map((meld, place) =>
          h("span.chi-meld", { key: place }, meld.map((text, i) => card(text, "mini", { key: i, class: text === offered ? "taken" : "" }))),
        ),
      ),
    ),
  );
}

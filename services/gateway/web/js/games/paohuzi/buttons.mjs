// The buttons of 跑胡子: only what is legal now.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { clockFace } from "../../view/ticker.mjs";
import { claimKeys, sortActions } from "./actions.mjs";
import { card } from "./cardview.mjs";
import { eat, playCard } from "./moves.mjs";
import { waitsRow } from "./waitsrow.mjs";

/** Describe what can be answered; without a question, what the hand waits for. */
export function buttons(state, controls) {
  const actions = sortActions(controls.play.asked);
  const { ui } = controls.play;
  const claims = claimKeys(actions).map((key, at) =>
    h(
      `button.act.act-${key}`,
      {
        key,
        "data-action": key,
        "aria-keyshortcuts": String(at + 1),
        "aria-expanded": key === "chi" && actions.chis.length > 1 ? String(ui.chiOpen) : null,
        onclick: () => (key === "chi" ? eat(controls) : controls.play.act(key)),
      },
      h("span.act-word", {}, t(`act.${key}`)),
    ),
  );
  const selected = ui.selected?.card;
  const mayPlay = selected && actions.discards.has(selected);
  if (actions.discards.size) {
    claims.push(
      h(
        "button.act.act-discard",
        { key: "discard", "data-action": "discard", disabled: !mayPlay, onclick: () => playCard(controls, selected) },
        h("span.act-word", {}, t("act.discard")),
      ),
    );
  }
  if (!claims.length) return waitsRow(state);
  const { question } = state.table;
  return [
    actions.discards.size ? (mayPlay ? waitsRow(state, selected) : null) : waitsRow(state),
    h("p.act-clock", { key: "clock" }, actions.discards.size && !mayPlay ? t("act.pick") : t("act.choose"), " ", clockFace(question.deadline_at_ms), t("seconds")),
    h("div.act-row", { key: "row" }, claims),
  ];
}

/** The ways to eat, as little groups of cards. */
export function chiChooser(state, controls) {
  const { chis } = sortActions(controls.play.asked);
  if (!controls.play.ui.chiOpen || !chis.length) return null;
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

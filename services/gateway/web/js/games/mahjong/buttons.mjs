// The buttons: only what is legal now, and what the hand waits for.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { clockFace } from "../../view/ticker.mjs";
import { sortActions } from "./actions.mjs";
import { waitsAfter } from "./hints.mjs";
import { letterOf } from "./keys.mjs";
import { chosenLiang, claim, claimsOf, letGo } from "./moves.mjs";
import { tile, tileWords } from "./tileview.mjs";
import { waitsRow } from "./waitsview.mjs";

/** Describe what can be answered; without a question, what the hand waits for. */
export function buttons(game, state, controls) {
  const actions = sortActions(controls.play.asked);
  const { table } = state;
  const ui = withOnly(controls.play.ui, actions);
  if (actions.piaos.length) return piao(table, actions, controls);
  const claims = claimsOf(actions).map((key) => claimButton(key, actions, ui, controls));
  if (actions.discards.size) claims.push(lastButton(actions, ui, controls));
  if (!claims.length) return waitsNow(game, table.round);
  return [
    h("div.act-hint", { key: "hint" }, hint(game, table, actions, ui)),
    h("div.act-row", { key: "row" }, h("span.act-clock", { key: "clock" }, clockFace(table.question.deadline_at_ms), t("seconds")), claims),
  ];
}

/** Where one tile only may go, it need not be raised first. */
function withOnly(ui, actions) {
  const [only] = actions.discards.keys();
  return ui.selected || actions.discards.size !== 1 || ui.chooser ? ui : { ...ui, selected: { id: "", tile: only } };
}

function claimButton(key, actions, ui, controls) {
  const ways = { chi: actions.chis, gang: actions.kongs }[key]?.length ?? 1;
  return h(
    `button.act.act-${key}`,
    {
      key,
      "data-action": key,
      "aria-keyshortcuts": letterOf(key),
      title: `${t(`mahjong.act.${key}`)} (${letterOf(key).toUpperCase()})`,
      "aria-expanded": ways > 1 || key === "liang" ? String(ui.chooser === key) : null,
      onclick: () => claim(controls, key),
    },
    h("span.act-word", {}, t(`mahjong.act.${key}`)),
  );
}

/** 出牌, or in 亮倒 its confirmation. */
function lastButton(actions, ui, controls) {
  if (ui.chooser === "liang") {
    const way = chosenLiang(actions, ui);
    return h(
      "button.act.act-discard.act-reveal",
      { key: "reveal", "data-action": "reveal", disabled: !way, onclick: () => controls.play.act(way.action) },
      h("span.act-word", {}, t("mahjong.liang.confirm")),
    );
  }
  const mayGo = ui.selected && actions.discards.has(ui.selected.tile);
  return h(
    "button.act.act-discard",
    { key: "discard", "data-action": "discard", "aria-keyshortcuts": "Enter", disabled: !mayGo, onclick: () => letGo(controls, ui.selected.tile) },
    h("span.act-word", {}, t("mahjong.act.discard")),
  );
}

/** What helps to decide: the tile on offer, the waits after the raised tile, why a tile may not go. */
function hint(game, table, actions, ui) {
  const { round } = table;
  if (ui.chooser === "liang") return ui.selected ? null : h("p.act-note", { key: "note" }, t("mahjong.liang.pick"));
  if (!actions.discards.size) {
    if (!round.shown) return null;
    const words = t(`mahjong.offer.${round.shown.how}`, { who: t(`side.${table.side(round.shown.seat)}`) });
    return h("p.act-offer", { key: "offer" }, words, tile(round.shown.tile));
  }
  if (!ui.selected) return h("p.act-note", { key: "note" }, t("mahjong.act.pick"));
  if (!actions.discards.has(ui.selected.tile)) return h("p.act-note.warn", { key: "note" }, game.banReason(round, ui.selected.tile));
  const waits = waitsAfter(game, round, ui.selected.tile);
  if (waits.length) return waitsRow(waits, h("span.waits-lead", { "aria-hidden": "true" }, t("mahjong.waits.discard"), tile(ui.selected.tile), "→"));
  return h("p.act-note", { key: "note" }, game.isDangerous(round, ui.selected.tile) ? t("mahjong.tile.danger") : tileWords(ui.selected.tile));
}

/** Between questions: the waits of a ready hand. */
function waitsNow(game, round) {
  if (round.end || round.seat < 0) return null;
  const waits = waitsAfter(game, round);
  return waits.length ? h("div.act-hint", { key: "hint" }, waitsRow(waits)) : null;
}

/** 漂 is asked before the deal. */
function piao(table, actions, controls) {
  const ways = [...actions.piaos].sort((a, b) => a.points - b.points);
  return [
    h("div.act-hint", { key: "hint" }, h("p.act-note", {}, t("mahjong.piao.title"))),
    h(
      "div.act-row",
      { key: "row" },
      h("span.act-clock", { key: "clock" }, clockFace(table.question.deadline_at_ms), t("seconds")),
      ways.map(({ action, points }) =>
        h(
          "button.act.act-piao",
          { key: action, "data-piao": points, "aria-label": points ? t("mahjong.piao.words", { points }) : t("mahjong.piao.none"), "aria-keyshortcuts": String(points), onclick: () => controls.play.act(action) },
          h("span.act-word", {}, points ? t("mahjong.piao.short", { points }) : t("mahjong.piao.none")),
        ),
      ),
    ),
  ];
}

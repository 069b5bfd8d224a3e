// What a result of 清混碰 says besides hands, names and payments.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { nameOfPlayer } from "../../view/people.mjs";
import { tileRow } from "../mahjong/tileview.mjs";

/** From the names to the points of a share. */
export function winSum(state, win) {
  const { round } = state.table;
  const { options } = round;
  const lines = [];
  if (win.flowers) lines.push(t("qinghunpeng.sum.formula", { base: options.formula_base, flowers: win.flowers, lezi: options.lezi }));
  if (win.names.length > 1) lines.push(t(options.stack === "add" ? "qinghunpeng.sum.add" : "qinghunpeng.sum.max", { values: win.names.map(([, value]) => value).join(options.stack === "add" ? " + " : " / ") }));
  if (round.times > 1) lines.push(t("qinghunpeng.doubled"));
  if (options.cap && win.points === options.cap) lines.push(t("qinghunpeng.sum.cap", { cap: options.cap }));
  lines.push(t("qinghunpeng.sum.share", { points: win.points }));
  return lines.map((line, at) => h("span.sum-share", { key: at }, line));
}

/** Flowers of the winners, and whom 承包 binds. */
export function resultFacts(state, result) {
  const { round, seats } = state.table;
  const who = (at) => (at === state.table.seat ? t("side.own") : nameOfPlayer(state, seats[at].player_id, at));
  const lines = result.winners.flatMap((at) => {
    const flowers = round.flowers[at];
    const bound = result.wins?.find((one) => one.seat === at)?.bound ?? [];
    return [
      flowers.length ? h("p.result-fact", { key: `flowers-${at}` }, h("span", {}, t("qinghunpeng.result.flowers", { who: who(at), count: flowers.length })), h("span.set", {}, tileRow(flowers))) : null,
      bound.length ? h("p.result-fact", { key: `bound-${at}` }, t("qinghunpeng.result.bound", { who: bound.map(who).join(t("comma")) })) : null,
    ];
  });
  return lines.some(Boolean) ? h("div.result-facts", { key: "facts" }, lines) : null;
}

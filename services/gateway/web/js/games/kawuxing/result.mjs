// What a result of 卡五星 says besides hands, names and payments.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { nameOfPlayer } from "../../view/people.mjs";
import { tileRow } from "../mahjong/tileview.mjs";

/** The product of a win, and what is added to it for each payer. */
export function winSum(state, win, said) {
  const { round } = state.table;
  const product = win.names.map(([, value]) => value).join(" × ");
  const parts = [win.names.length > 1 ? t("kawuxing.sum.product", { product, fan: win.fan }) : t("kawuxing.sum.fan", { fan: win.fan }), " ", t("kawuxing.sum.stake", { stake: round.stake })];
  if (round.options.shukan) parts.push(t("kawuxing.sum.kan", { kan: win.kan }));
  if (said.bao) parts.push(t("kawuxing.sum.bao"));
  return parts;
}

/** 买马, and after 黄庄 what each hand was ready for. */
export function resultFacts(state, result) {
  const { round, seats } = state.table;
  const lines = [];
  if (result.ma?.length) lines.push(h("p.result-fact", { key: "ma", "data-ma": result.ma.join(" ") }, h("span", {}, t("kawuxing.result.ma")), h("span.set", {}, tileRow(result.ma))));
  if (round.stake > round.options.base) lines.push(h("p.result-fact", { key: "stake" }, t("kawuxing.doubled", { stake: round.stake })));
  if (!result.winners.length) {
    result.waiting.forEach((fan, at) => {
      const who = at === state.table.seat ? t("side.own") : nameOfPlayer(state, seats[at].player_id, at);
      lines.push(h("p.result-fact", { key: `wait-${at}` }, fan ? t("kawuxing.result.ready", { who, fan }) : t("kawuxing.result.not_ready", { who })));
    });
  }
  return lines.length ? h("div.result-facts", { key: "facts" }, lines) : null;
}

// What a result of 卡五星 says besides hands, names and payments.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { optionWords } from "../../view/optionvalue.mjs";
import { nameOfPlayer } from "../../view/people.mjs";
import { catalogue } from "../../view/presets.mjs";
import { tile, tileRow } from "../mahjong/tileview.mjs";
import { isHorse, shareOf } from "./share.mjs";
import { waitsOf } from "./waits.mjs";

/** The product of a win, then for each payer the way from it to what he pays. */
export function winSum(state, win, said) {
  const { round, seats } = state.table;
  const product = win.names.map(([, value]) => value).join(" × ");
  const fan = win.names.length > 1 ? t("kawuxing.sum.product", { product, fan: win.fan }) : t("kawuxing.sum.fan", { fan: win.fan });
  const payers = round.pays.filter((pay) => pay.to === win.seat && WIN_PAYS.has(pay.why));
  return [
    h("span.sum-fan", { key: "fan" }, fan),
    payers.map((pay) => {
      const who = pay.from === state.table.seat ? t("side.own") : nameOfPlayer(state, seats[pay.from].player_id, pay.from);
      return h("span.sum-share", { key: pay.from }, t("kawuxing.sum.who", { who }), " ", shareWords(round, win, pay, said.bao === true));
    }),
  ];
}

const WIN_PAYS = new Set(["自摸", "放炮", "包胡"]);

/** One payment in figures: 番, the factor of 亮倒, the cap, what is added, the base. */
function shareWords(round, win, pay, isBao) {
  const share = shareOf(round, win, pay.from, isBao);
  const fan = t("kawuxing.sum.fan", { fan: win.fan });
  if (share.points !== pay.points) return `${fan} → ${pay.points}`;
  const words = [fan];
  if (share.factor > 1) words.push(t("kawuxing.sum.liang", { factor: share.factor }));
  if (share.isCapped) words.push(t("kawuxing.sum.cap", { cap: round.options.cap }));
  if (isBao) words.push(t("kawuxing.sum.bao"));
  const more = Object.entries(share.extra).filter(([, value]) => value);
  words.push(...more.map(([key, value]) => t(`kawuxing.sum.${key}`, { points: value })));
  const inner = words.join(" ");
  const based = round.stake > 1 ? `${more.length ? `( ${inner} )` : inner} ${t("kawuxing.sum.stake", { stake: round.stake })}` : inner;
  return `${based}\u00a0=\u00a0${pay.points}`; // the sum never stands alone on a line
}

const isHit = (round, one) => round.options.mai_ma === "liu" && isHorse(one, round.wins[0]?.tile ?? "?");

/** 买马, and after 黄庄 what each hand was ready for. */
export function resultFacts(state, result) {
  const { round } = state.table;
  const lines = [];
  if (result.ma?.length) lines.push(h("p.result-fact", { key: "ma", "data-ma": result.ma.join(" ") }, h("span", {}, t("kawuxing.result.ma")), h("span.set", {}, tileRow(result.ma, (one) => ({ class: isHit(round, one) ? "hit" : "" })))));
  if (round.stake > round.options.base) lines.push(h("p.result-fact", { key: "stake" }, t("kawuxing.doubled", { stake: round.stake })));
  if (!result.winners.length) lines.push(readyTable(state, result));
  return lines.length ? h("div.result-facts", { key: "facts" }, lines) : null;
}

/** After 黄庄: seat by seat whether the hand was ready, for which tiles, and what its best win would have been; then what that costs here. */
function readyTable(state, result) {
  const { round, seats, around, seat } = state.table;
  const option = catalogue(state, "kawuxing")?.options.find((one) => one.name === "hz");
  const row = (at) => {
    const fan = result.waiting[at];
    const who = at === seat ? t("side.own") : nameOfPlayer(state, seats[at].player_id, at);
    const hand = round.hands?.[at] ?? [];
    const waits = fan && hand.length % 3 === 1 ? waitsOf(hand, round.melds[at] ?? []) : [];
    return h(
      "tr",
      { key: at, class: fan ? "is-ready" : "", "data-seat": at },
      h("th", { scope: "row" }, who),
      h("td", {}, fan ? h("span.set", {}, waits.map((one) => tile(one, { key: one }))) : t("kawuxing.result.not_ready")),
      h("td.ready-fan", {}, fan ? t("kawuxing.result.ready", { fan }) : ""),
    );
  };
  return h(
    "div.ready-hands",
    { key: "ready" },
    result.waiting.some(Boolean)
      ? h("table.ready-table", {}, h("caption", {}, t("kawuxing.result.who_ready")), h("tbody", {}, around.map(row)))
      : h("p.none-ready", {}, t("kawuxing.result.none_ready")),
    option && round.options.hz ? h("p.ready-rule", {}, t("kawuxing.result.rule", { rule: optionWords(option, round.options.hz, "kawuxing") })) : null,
  );
}

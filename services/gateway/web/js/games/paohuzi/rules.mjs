// The rules of 跑胡子 in short, what sets a rule set apart, and the words of an answer.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { optionValue } from "../../view/optionvalue.mjs";
import { card } from "./cardview.mjs";
import { isCard, nameOf, parseCards } from "./cards.mjs";

const TEXTS = ["rules.goal", "rules.turn", "rules.forced", "rules.claims", "rules.xi", "rules.hu", "rules.dead"];
const KINDS = ["", "meld.ti", "meld.pao", "meld.wei", "meld.kan", "meld.peng", "rules.runs"];

/** Describe the rules. */
export function rules() {
  return [
    h("div.rules-text", {}, TEXTS.map((key) => h("p", { key }, t(key)))),
    h("table.xi-table", {}, h("thead", {}, h("tr", {}, KINDS.map((key) => h("th", { key }, key ? t(key) : "")))), h("tbody", {}, xiRow("card.small", [9, 6, 3, 3, 1, 3]), xiRow("card.big", [12, 9, 6, 6, 3, 6]))),
  ];
}

const xiRow = (key, values) => h("tr", { key }, h("th", { scope: "row" }, t(key)), values.map((value, at) => h("td", { key: at }, String(value))));

/** What sets the options apart, for the lobby. */
export function facts(options) {
  if (!options.min_xi) return [];
  return [
    t("facts.min", { xi: options.min_xi }),
    t("facts.step", { step: options.deng_step }),
    t("facts.zimo", { deng: options.zimo_deng }),
    optionValue(options.names),
  ];
}

/** An answer in the words of the game. */
export function actionWords(action) {
  const [verb, ...words] = action.split(" ");
  const cards = words.map((word) => (isCard(word) ? nameOf(word) : parseCards(word).map(nameOf).join(""))).join(" ");
  return `${t(`act.${verb}`)}${cards ? ` ${cards}` : ""}`;
}

/** Three cards for the lobby. */
export const emblem = () => ["b2", "b7", "b10"].map((text) => card(text, "large", { key: text }));

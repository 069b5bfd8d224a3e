// The rules of 跑胡子 in short, what sets a rule set apart, and the words of an answer.
import { sentences, t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { optionValue } from "../../view/optionvalue.mjs";
import { card } from "./cardview.mjs";
import { isCard, nameOf, parseCards } from "./cards.mjs";

const KINDS = ["", "meld.ti", "meld.pao", "meld.wei", "meld.kan", "meld.peng", "rules.runs"];

/** Which cards can be won, and what a win is worth, as the options have it. */
function winWords(options) {
  const cards = !options.discard_hu ? t("rules.hu.wall") : options.discard_hu_pays === "all" ? t("rules.hu.discard.all") : t("rules.hu.discard");
  const zimo = options.zimo_deng ? t("rules.hu.zimo", { deng: options.zimo_deng }) : "";
  return [cards, zimo, options.names === "none" ? t("rules.hu.no_names") : t("rules.hu.names")];
}

/** Which cards are dead for whom, as the options have it. */
function deadWords(options) {
  return [
    options.dead_peng_blocks_chi ? t("rules.dead.both") : t("rules.dead.each"),
    options.own_discard_dead ? t("rules.dead.own") : "",
    options.chou_hu === "win_xi" ? t("rules.dead.hu") : options.chou_hu === "table_xi" ? t("rules.dead.hu.table") : "",
  ];
}

/** Describe the rules of a rule set. */
export function rules(options = {}) {
  const always = [t("rules.goal"), t("rules.turn"), t("rules.forced"), t("rules.claims"), t("rules.xi")];
  const texts = [...always, sentences(winWords(options)), sentences(deadWords(options))];
  return [
    h("div.rules-text", {}, texts.map((text, at) => h("p", { key: at }, text))),
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

// The rules of 斗地主 in short, what sets a rule set apart, and the words of an answer.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { cardLine } from "./cardview.mjs";
import { rankPrint } from "./cardview.mjs";

const TEXTS = ["goal", "deal", "bid", "play", "beat", "end", "score"];

const EXAMPLES = [
  ["trio_pair", ["7s", "7h", "7d", "9s", "9c"]],
  ["solo_chain", ["3s", "4h", "5c", "6d", "7s"]],
  ["pair_chain", ["3s", "3h", "4c", "4d", "5s", "5h"]],
  ["plane_solo", ["Js", "Jh", "Jd", "Qs", "Qh", "Qc", "3s", "8h"]],
  ["four_two_solo", ["Ts", "Th", "Tc", "Td", "4s", "6h"]],
  ["bomb", ["9s", "9h", "9c", "9d"]],
  ["rocket", ["B", "R"]],
];

/** Describe the rules. */
export function rules(options) {
  const examples = options.four_two === false ? EXAMPLES.filter(([type]) => !type.startsWith("four_two")) : EXAMPLES;
  return [
    h("div.rules-text", { key: "texts" }, TEXTS.map((key) => h("p", { key }, t(`doudizhu.rules.${key}`)))),
    h("div.examples", { key: "examples" }, examples.map(([type, cards]) => h("p.example", { key: type }, h("span.example-name", {}, t(`doudizhu.type.${type}`)), cardLine(cards)))),
  ];
}

/** What sets the options apart, for the lobby. */
export function facts(options) {
  if (!options.bid) return [];
  return [
    t(`doudizhu.facts.${options.bid}`),
    t(options.double === "on" ? "doudizhu.facts.double" : "doudizhu.facts.no_double"),
    t(`doudizhu.facts.${options.scoring}`, { bomb: options.bomb_mult }),
  ];
}

/** An answer in the words of the game. */
export function actionWords(action) {
  const [verb, ...words] = action.split(" ");
  if (verb !== "play") return t(`doudizhu.act.${words.length ? `${verb}.${words[0]}` : verb}`);
  const cards = [...words[0]].map((rank) => ("BR".includes(rank) ? t(`doudizhu.card.${rank}`) : rankPrint(rank)));
  return `${t("doudizhu.act.play")} ${cards.join(" ")}`;
}

/** Three cards for the lobby. */
export const emblem = () => cardLine(["2s", "R", "Ah"], { key: "cards", className: "emblem" });

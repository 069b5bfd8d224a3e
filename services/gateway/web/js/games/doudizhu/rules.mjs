// The rules of 斗地主 in short, what sets a rule set apart, and the words of an answer.
import { sentences, t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { cardLine } from "./cardview.mjs";
import { rankPrint } from "./cardview.mjs";

const key = (name) => `doudizhu.rules.${name}`;

const EXAMPLES = [
  ["trio_pair", ["7s", "7h", "7d", "9s", "9c"]],
  ["solo_chain", ["3s", "4h", "5c", "6d", "7s"]],
  ["pair_chain", ["3s", "3h", "4c", "4d", "5s", "5h"]],
  ["plane_solo", ["Js", "Jh", "Jd", "Qs", "Qh", "Qc", "3s", "8h"]],
  ["four_two_solo", ["Ts", "Th", "Tc", "Td", "4s", "6h"]],
  ["bomb", ["9s", "9h", "9c", "9d"]],
  ["rocket", ["B", "R"]],
];

/** How the landlord is found; both ways where the options are not known. */
function bidding(options) {
  const ways = ["score", "qiang"].filter((way) => (options.bid ?? way) === way).map((way) => t(key(`bid.${way}`)));
  return [
    ...ways,
    options.bid === "score" && options.bid_rounds === "until2pass" ? t("doudizhu.rules.bid.again") : "",
    options.redeal_limit ? t("doudizhu.rules.redeal.limit", { count: options.redeal_limit }) : t("doudizhu.rules.redeal"),
    options.double === "on" ? t("doudizhu.rules.double") : "",
  ];
}

/** What makes the bid more; what multiplies by 1 is left out. */
function worth(options) {
  if (!options.scoring) return [t("doudizhu.rules.score")];
  const bid = options.bid === "qiang" ? t("doudizhu.rules.score.no_bid") : t("doudizhu.rules.score.bid");
  const isLinear = options.scoring === "linear";
  const said = (mult, name) => (mult > 1 ? t(key(name), { times: isLinear ? `+${mult - 1}` : `×${mult}` }) : "");
  const list = [said(options.bomb_mult, "bomb"), said(options.rocket_mult, "rocket"), said(options.spring, "spring")].filter(Boolean);
  return [
    isLinear ? t("doudizhu.rules.score.linear", { bid }) : t("doudizhu.rules.score.multiply", { bid }),
    list.length ? `${list.join(t("comma"))}${t("sentence.end")}` : "",
    options.bid === "qiang" || options.double === "on" ? t("doudizhu.rules.score.chosen") : "",
    options.bomb_cap ? t("doudizhu.rules.score.cap", { count: options.bomb_cap }) : "",
  ];
}

/** Describe the rules of a rule set. */
export function rules(options = {}) {
  const [goal, deal, ...play] = ["goal", "deal", "play", "beat", "end"].map((name) => t(key(name)));
  const texts = [goal, deal, sentences(bidding(options)), ...play, sentences(worth(options))];
  const examples = options.four_two === false ? EXAMPLES.filter(([type]) => !type.startsWith("four_two")) : EXAMPLES;
  return [
    h("div.rules-text", { key: "texts" }, texts.map((text, at) => h("p", { key: at }, text))),
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

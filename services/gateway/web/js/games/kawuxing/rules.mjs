// The rules of 卡五星 in short, and what sets a rule set apart.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { optionValue } from "../../view/optionvalue.mjs";

const TEXTS = ["goal", "turn", "claims", "kongs", "liang", "wins"];

/** What only some tables play: the key of its words, and whether the options say so. */
const SOMETIMES = [
  ["auto_hu", (options) => options.reveal_auto_hu],
  ["pays", () => true],
  ["pays.all", (options) => options.reveal_doubles_loser === "all"],
  ["pays.discard_only", (options) => options.reveal_doubles_loser === "discard_only"],
  ["duifan", (options) => options.duifan],
  ["bao", (options) => options.baohu],
  ["ban", (options) => options.ban_feeding],
  ["min_fan.hard", (options) => options.min_fan === "hard"],
  ["min_fan.soft", (options) => options.min_fan === "soft"],
  ["min_fan.pao2", (options) => options.min_fan === "pao2"],
  ["piao", (options) => options.piao_max > 0],
  ["ma", (options) => (options.mai_ma ?? "off") !== "off" && options.mai_ma_when !== "liang_zimo"],
  ["ma.liang", (options) => (options.mai_ma ?? "off") !== "off" && options.mai_ma_when === "liang_zimo"],
  ["kan", (options) => options.shukan],
  ["shanglou", (options) => (options.shanglou ?? "off") !== "off"],
  ["draw_pays", (options) => (options.hz ?? "none") !== "none"],
  ["draw", (options) => (options.hz ?? "none") === "none"],
];

/** `[name, option]`: multipliers that the table shows; those of 1 are not played. */
const NAMES = [
  ["七对", "fan_qidui"],
  ["龙七对", "fan_long"],
  ["双龙七对", "fan_shuanglong"],
  ["超龙七对", "fan_chaolong"],
  ["碰碰胡", "fan_pengpenghu"],
  ["卡五星", "fan_kawuxing"],
  ["独卡五星", "du_bonus"],
  ["明四归一", "fan_ming"],
  ["暗四归一", "fan_an"],
  ["小三元", "fan_xiaosanyuan"],
  ["大三元", "fan_dasanyuan"],
  ["清一色", "fan_qingyise"],
  ["手抓一", "fan_shouzhuayi"],
  ["门清", "fan_menqing"],
  ["杠上开花", "fan_gangkai"],
  ["杠上炮", "fan_gangpao"],
  ["抢杠胡", "fan_qianggang"],
  ["海底捞", "fan_haidi"],
  ["天胡", "fan_tianhu"],
  ["地胡", "fan_dihu"],
];

/** Describe the rules, with the multipliers of a rule set. */
export function rules(options = {}) {
  const texts = [...TEXTS, ...SOMETIMES.filter(([, isPlayed]) => isPlayed(options)).map(([key]) => key)];
  const played = NAMES.filter(([, option]) => options[option] > 1);
  return [
    h("div.rules-text", { key: "text" }, texts.map((key) => h("p", { key }, t(`kawuxing.rules.${key}`)))),
    played.length
      ? h("dl.fan-table", { key: "fans" }, played.flatMap(([name, option]) => [h("dt", { key: `${name}.t` }, t(`kawuxing.name.${name}`), " ", h("b", {}, t("fan", { fan: options[option] }))), h("dd", { key: `${name}.d` }, t(`kawuxing.about.${name}`))]))
      : null,
  ];
}

/** What sets the options apart, for the lobby. */
export function facts(options) {
  if (!options.base) return [];
  const found = [t("kawuxing.facts.base", { base: options.base }), options.cap ? t("kawuxing.facts.cap", { cap: options.cap }) : t("kawuxing.facts.no_cap")];
  if (options.piao_max) found.push(t("kawuxing.facts.piao", { points: options.piao_max }));
  if (options.mai_ma !== "off") found.push(optionValue(options.mai_ma, "kawuxing"));
  if (options.min_fan !== "none") found.push(optionValue(options.min_fan, "kawuxing"));
  return found;
}

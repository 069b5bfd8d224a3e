// The rules of 清混碰 in short, and what sets a rule set apart.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";

const TEXTS = ["goal", "flowers", "turn", "claims"];

/** What only some tables play: the key of its words, and whether the options say so. */
const SOMETIMES = [
  ["claim_lock", (options) => options.claim_lock],
  ["no_swap", (options) => options.no_swap],
  ["start", () => true],
  ["points", () => true],
  ["stack.max", (options) => options.stack === "max"],
  ["stack.add", (options) => options.stack === "add"],
  ["pays", () => true],
  ["many", (options) => options.head_bump === false],
  ["head_bump", (options) => options.head_bump],
  ["chengbao", (options) => options.chengbao],
  ["huangfan", (options) => options.huangfan],
];
const FORMULA = new Set(["混一色", "碰碰胡"]);

/** `[name, option]`: the option holds its 勒. */
const NAMES = [
  ["混一色", ""],
  ["碰碰胡", ""],
  ["混碰", "fixed_hunpeng"],
  ["清一色", "fixed_qingyise"],
  ["清碰", "fixed_qingpeng"],
  ["乱风向", "fixed_luanfengxiang"],
  ["字碰", "fixed_zipeng"],
  ["大吊车", "floor_dadiaoche"],
  ["杠开", "floor_gangkai"],
  ["抢杠", "floor_qianggang"],
  ["海底", "floor_haidi"],
  ["天胡", "fixed_tianhu"],
  ["地胡", "fixed_dihu"],
  ["八花", "fixed_bahua"],
];

function valueOf(options, name, option) {
  if (FORMULA.has(name)) return t("qinghunpeng.rules.formula", { base: options.formula_base, lezi: options.lezi });
  return t("qinghunpeng.points", { points: options.lezi * options[option] });
}

/** Describe the rules, with the points of a rule set. */
export function rules(options = {}) {
  const played = options.lezi ? NAMES.filter(([name, option]) => FORMULA.has(name) || (options[option] > 0 && !(name === "八花" && options.bahua === "off"))) : [];
  const texts = [...TEXTS, ...SOMETIMES.filter(([, isPlayed]) => isPlayed(options)).map(([key]) => key)];
  return [
    h("div.rules-text", { key: "text" }, texts.map((key) => h("p", { key }, t(`qinghunpeng.rules.${key}`)))),
    options.min_ron > 1 ? h("p.rules-text", { key: "min_ron" }, `${t("qinghunpeng.facts.min_ron", { points: options.min_ron })}${t("sentence.end")}`) : null,
    options.cap ? h("p.rules-text", { key: "cap" }, t("qinghunpeng.rules.cap", { cap: options.cap })) : null,
    played.length
      ? h("dl.fan-table", { key: "names" }, played.flatMap(([name, option]) => [h("dt", { key: `${name}.t` }, t(`qinghunpeng.name.${name}`), " ", h("b", {}, valueOf(options, name, option))), h("dd", { key: `${name}.d` }, t(`qinghunpeng.about.${name}`))]))
      : null,
  ];
}

/** What sets the options apart, for the lobby. */
export function facts(options) {
  if (!options.lezi) return [];
  const found = [t("qinghunpeng.facts.lezi", { lezi: options.lezi }), options.cap ? t("qinghunpeng.facts.cap", { cap: options.cap }) : t("qinghunpeng.facts.no_cap")];
  if (options.min_ron > 1) found.push(t("qinghunpeng.facts.min_ron", { points: options.min_ron }));
  if (options.huangfan) found.push(t("qinghunpeng.facts.huangfan"));
  if (options.chengbao) found.push(t("qinghunpeng.facts.chengbao"));
  return found;
}

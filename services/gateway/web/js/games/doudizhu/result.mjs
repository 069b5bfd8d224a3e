// How a round of 斗地主 was scored, line by line.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { nameOfPlayer } from "../../view/people.mjs";
import { cardLine } from "./cardview.mjs";

/** The heading. */
export function resultTitle(state, result) {
  if (!result.winners.length) return t("doudizhu.result.redeal");
  const { seat } = state.table;
  const who = t(`doudizhu.result.${result.how}`);
  if (seat < 0) return who;
  return t(result.winners.includes(seat) ? "doudizhu.result.won" : "doudizhu.result.lost", { who });
}

/** Every factor with its reason, then what each peasant pays or gets. */
export function resultBody(state, result) {
  const { table } = state;
  if (!result.winners.length) return h("p.draw-words", {}, t("doudizhu.result.redeal.words"));
  return h("div.tally", { role: "table", "aria-label": t("doudizhu.result.tally") }, factors(table, result), stakes(state, result));
}

function factors(table, result) {
  const { options } = table.round;
  const isLinear = options.scoring === "linear";
  const cap = options.bomb_cap ?? Infinity;
  const rockets = Math.min(result.rockets, cap);
  const bombs = Math.min(result.bombs, cap - rockets);
  const lines = [row("bid", t("doudizhu.tally.bid"), String(result.bid))];
  if (result.robs) lines.push(row("robs", t("doudizhu.tally.robs", { count: result.robs }), `×${2 ** result.robs}`));
  const raise = (key, count, times, words) => {
    if (!count) return;
    lines.push(row(key, words, isLinear ? `+${count * (times - 1)}` : `×${times ** count}`));
  };
  raise("bombs", bombs, options.bomb_mult, t("doudizhu.tally.bombs", { count: bombs }));
  raise("rockets", rockets, options.rocket_mult, t("doudizhu.tally.rockets"));
  raise("spring", result.spring ? 1 : 0, options.spring, t(result.spring === "反春天" ? "doudizhu.tally.anti" : "doudizhu.tally.spring"));
  if (bombs + rockets < result.bombs + result.rockets) lines.push(row("cap", t("doudizhu.tally.cap", { count: options.bomb_cap }), "–"));
  lines.push(row("fan", t(isLinear ? "doudizhu.tally.fan.linear" : "doudizhu.tally.fan"), `×${result.fan}`, "sum"));
  return lines;
}

/** One line for each peasant: bid × fan × the doublings = points. */
function stakes(state, result) {
  const { table } = state;
  const { landlord, double: doubles } = result;
  const peasants = table.around.filter((seat) => seat !== landlord);
  return peasants.map((seat) => {
    const times = [result.bid, result.fan];
    if (doubles[landlord] > 1) times.push(doubles[landlord]);
    if (doubles[seat] > 1) times.push(doubles[seat]);
    const points = Math.abs(result.points[seat]);
    const does = result.how === "landlord" ? "pays" : "gets";
    const words = seat === table.seat ? t(`doudizhu.tally.own.${does}`) : t(`doudizhu.tally.${does}`, { who: nameOfPlayer(state, table.seats[seat].player_id, seat) });
    const note = doubles[seat] > 1 || doubles[landlord] > 1 ? ` (${t("doudizhu.doubled")})` : "";
    return row(`seat-${seat}`, `${words}${note}`, `${times.join(" × ")} = ${points}`, "stake");
  });
}

const row = (key, words, value, tone = "") =>
  h("p.tally-row", { key, class: tone, role: "row" }, h("span.tally-words", { role: "cell" }, words), h("b.tally-value", { role: "cell" }, value));

/** Cards of a hand, for the other hands of the result. */
export const cardRow = (cards) => cardLine(cards);

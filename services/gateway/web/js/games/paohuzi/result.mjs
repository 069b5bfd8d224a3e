// Why a round of 跑胡子 scored what it scored.
import { nameWords, t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { nameOfPlayer } from "../../view/people.mjs";
import { card } from "./cardview.mjs";
import { meldXi, shapeOf } from "./huxi.mjs";

/** The heading. */
export function resultTitle(state, result) {
  const [winner] = result.winners;
  if (winner === undefined) return t("result.draw");
  const how = t(`how.${result.how}`);
  if (winner === state.table.seat) return t("result.won", { how });
  return t("result.lost", { who: nameOfPlayer(state, state.table.seats[winner].player_id, winner), how });
}

/** The winning melds and the way from 息 to points. */
export function resultBody(state, result) {
  if (!result.winners.length) return h("p.draw-words", {}, t("result.draw.words"));
  return [winningMelds(result), formula(state.table, result)];
}

function winningMelds(result) {
  return h(
    "div.win-melds",
    { "aria-label": t("result.melds") },
    result.melds.map(([kind, ...cards], at) =>
      h(
        "div.win-meld",
        { key: at },
        h("span.win-kind", {}, t(`shape.${shapeOf(kind, cards)}`)),
        h("span.win-cards", {}, cards.map((text, i) => card(text, "mini", { key: i, class: text === result.card ? "taken" : "" }))),
        h("span.win-xi", {}, kind === "jiang" || kind === "rest" ? (kind === "rest" ? t("xi.in_total") : "–") : t("xi.count", { xi: meldXi(kind, cards) })),
      ),
    ),
  );
}

function formula(table, result) {
  const { options } = table.round;
  const perLoser = Math.abs(Math.min(...result.points));
  const names = Object.entries(result.names);
  const zimo = result.zimo_bonus;
  const inner = zimo && options.zimo_stage !== "after_fan" ? `(${result.deng}+${zimo})` : String(result.deng);
  const tail = zimo && options.zimo_stage === "after_fan" ? ` + ${zimo}` : "";
  return h(
    "div.formula",
    {},
    h("p.names", {}, names.length ? names.map(([name, fan]) => h("span.name-tag", { key: name }, nameWords(name), " ", h("b", {}, t("fan", { fan })))) : h("span.name-tag", {}, t("name.plain"))),
    h(
      "p.sum",
      {},
      t("formula.xi", { xi: result.huxi }),
      " → ",
      t("formula.deng", { deng: result.deng }),
      zimo ? ` ${t("formula.zimo", { zimo })}` : "",
    ),
    h("p.sum.strong", {}, `${inner} × ${result.fan}${tail} = `, h("b", {}, t("formula.points", { points: perLoser })), table.baseStake ? ` × ${table.baseStake} = ${perLoser * table.baseStake}` : ""),
  );
}

/** Cards in a row, small. */
export const cardRow = (cards) => cards.map((text, i) => card(text, "mini", { key: i }));

// What lies on a table of 跑胡子: melds, rivers, the wall, the card on offer, 息.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { whoAt } from "../../view/people.mjs";
import { card, meldColumn } from "./cardview.mjs";

/** 息 of a seat's melds, beside its name. */
export function badge(state, at) {
  const { round } = state.table;
  if (!round.dealt) return null;
  const hidden = round.melds[at].some((meld) => meld.cards.includes("?"));
  return h("span.xi", {}, t("xi.table", { xi: round.tableXi(at) }), hidden ? "+" : "");
}

/** What lies before another seat. */
export function field(state, at) {
  const { round } = state.table;
  return [
    h("div.melds", { key: "melds" }, (round.melds?.[at] ?? []).map((meld, place) => meldColumn(meld, { key: place, open: round.end !== null || round.above !== undefined }))),
    h("div.river", { key: "river", "aria-label": t("river") }, river(state, at)),
  ];
}

/** The own discards. */
export const ownField = (state) => river(state, state.table.around[0]);

const river = (state, at) => (state.table.round.rivers?.[at] ?? []).map((text, place) => card(text, "mini", { key: place }));

/** The 息 so far, under the own picture. */
export function ownFacts(state) {
  const { round, around } = state.table;
  if (!round.dealt) return null;
  const need = round.options.min_xi ?? 15;
  const xi = round.ownXi;
  return h(
    "span.own-xi",
    { class: xi >= need ? "enough" : "", "aria-label": t("xi.own.words", { xi, table: round.tableXi(around[0]), need }) },
    h("b", {}, String(xi)),
    h("span", {}, t("xi.own.need", { need })),
  );
}

/** The wall, and the card on offer or else the words of what is going on. */
export function middle(state, words) {
  const { table } = state;
  const { round } = table;
  if (!round.dealt) return words;
  const { shown } = round;
  return [
    h(
      "p.wall",
      { key: "wall", "aria-label": t("wall.left", { count: round.wallLeft }) },
      h("span.wall-stack", { "aria-hidden": "true" }),
      h("span.wall-count", { "aria-hidden": "true" }, String(round.wallLeft)),
    ),
    shown
      ? h(
          "div.offer",
          {
            key: `offer-${round.drawn}-${shown.how}-${shown.card}-${round.rivers.map((one) => one.length).join("-")}`,
            class: `from-${table.side(shown.seat)}`,
          },
          card(shown.card, "large"),
          h("span.offer-whose", {}, t(`offer.${shown.how}`, { who: whoAt(state, shown.seat) })),
        )
      : words,
  ];
}

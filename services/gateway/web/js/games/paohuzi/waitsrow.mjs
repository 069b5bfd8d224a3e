// What the own hand waits for, now or after the chosen discard.
import { without } from "./cards.mjs";
import { waitsOf } from "./waits.mjs";
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { card, cardWords } from "./cardview.mjs";

const SHOWN_MAX = 7;

let last = { id: "", waits: [] };

/** The waits of the own hand, remembered until something changes. */
function waitsNow(round, chosen) {
  const id = `${round.steps}/${round.preset}/${round.hand.join("")}/${chosen}`;
  if (last.id !== id) {
    const seen = [
      ...round.hand,
      ...round.melds.flat().flatMap((meld) => meld.cards),
      ...round.rivers.flat(),
      ...(round.shown && round.shown.how !== "liang" ? [round.shown.card] : []),
    ];
    const hand = chosen ? without(round.hand, [chosen]) : round.hand;
    const { min_xi: minXi, po_pao_hu: poPaoHu } = round.options;
    last = { id, waits: waitsOf({ hand, melds: round.melds[round.seat], minXi, poPaoHu, seen }) };
  }
  return last.waits;
}

/** A row of the cards that would win. */
export function waitsRow(state, chosen = "") {
  const { round } = state.table;
  if (!round.dealt || round.end || round.seat < 0 || round.dead[round.seat]) return null;
  const waits = waitsNow(round, chosen);
  if (!waits.length) return null;
  const words = t("waits.words", { cards: waits.map((one) => cardWords(one.card)).join(t("comma")) });
  return h(
    "p.waits",
    { key: "waits", role: "img", "aria-label": words },
    h("b.waits-word", {}, t("waits")),
    waits.slice(0, SHOWN_MAX).map((one) => card(one.card, "mini", { key: one.card, class: one.selfOnly ? "self-only" : "" })),
  );
}

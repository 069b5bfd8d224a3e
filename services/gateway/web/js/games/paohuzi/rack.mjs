// The own melds and the hand.
import { columnsOf } from "./hand.mjs";
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { cardWords, face, meldColumn } from "./cardview.mjs";
import { sortActions } from "./actions.mjs";
import { isRed } from "./cards.mjs";
import { playCard, touchCard } from "./moves.mjs";
import { orderOf } from "../../view/order.mjs";
import { dragStart } from "../../view/drag.mjs";

/** Describe melds and hand of the own seat. */
export function rack(state, controls) {
  const { table } = state;
  const [at] = table.around;
  const { round } = table;
  const { discards } = sortActions(controls.play.asked);
  const columns = columnsOf(round.hand, orderOf(state, table.face));
  const offered = round.shown && round.shown.how !== "liang" ? round.shown.card : "";
  const copies = new Map();
  return h(
    "section.rack",
    { key: "rack", "aria-label": t("hand.title"), class: discards.size ? "to-discard" : "", style: { "--columns": String(Math.max(columns.length, 1)), "--melds": String(round.melds[at].length) } },
    h("div.own-melds", {}, round.melds[at].map((meld, place) => meldColumn(meld, { key: place, own: true, open: round.end !== null }))),
    h(
      "div.hand",
      {},
      columns.map((column) => {
        const key = column.cards.map((text) => nextCopy(copies, text)).join("+");
        return h(
          "div.column",
          { key, class: column.locked ? "locked" : "" },
          column.cards.map((text, place) => handCard({ state, controls, text, place, column, discards, offered })),
          column.locked ? h("span.lock", {}, t(column.cards.length === 4 ? "meld.ti.short" : "meld.kan.short")) : null,
        );
      }),
    ),
  );
}

function nextCopy(copies, text) {
  const copy = (copies.get(text) ?? 0) + 1;
  copies.set(text, copy);
  return `${text}.${copy}`;
}

function handCard({ state, controls, text, place, column, discards, offered }) {
  const { round } = state.table;
  const id = `${column.cards.join("")}/${place}`;
  const legal = discards.has(text);
  const selected = state.ui.own.selected?.id === id;
  const dead = !column.locked && round.isDead(text);
  const words = [cardWords(text), column.locked ? t("card.locked") : "", dead ? t("card.dead") : "", legal ? t("card.playable") : ""];
  return h(
    "button.hand-card",
    {
      key: `${text}/${place}`,
      class: [isRed(text) ? "red" : "black", selected ? "selected" : "", legal ? "legal" : "", dead ? "dead" : "", text === offered ? "same" : ""].join(" "),
      disabled: column.locked,
      "aria-label": words.filter(Boolean).join(", "),
      "aria-pressed": String(selected),
      "data-card": text,
      onclick: (event) => {
        if (!event.currentTarget.dataset.dragged) touchCard(controls, id, text);
      },
      onpointerdown: (event) => legal && dragStart(event, () => playCard(controls, text)),
    },
    h("span.hand-face", {}, face(text)),
  );
}

// The own cards as a fan; a phone held upright has them in two rows.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { rankAt, rankOf } from "./cards.mjs";
import { cardTone, cardWords, face } from "./cardview.mjs";
import { toggle } from "./moves.mjs";
import { orderOf } from "../../view/order.mjs";
import { stroke } from "./pick.mjs";

const ONE_ROW_MAX = 10;

/** The hand in the order the person wants: by rank, or bombs, trios, pairs, single cards; highest first. */
export function ordered(hand, order) {
  if (order !== "melds") return hand;
  const copies = (card) => hand.filter((one) => rankOf(one) === rankOf(card)).length;
  const isRocket = hand.includes("B") && hand.includes("R");
  const weight = (card) => (isRocket && rankAt(card) >= 13 ? 5 : copies(card));
  return [...hand].sort((a, b) => weight(b) - weight(a) || hand.indexOf(a) - hand.indexOf(b));
}

/** Rows of a fan: two on an upright screen when there are many cards. */
function rowsOf(cards) {
  const upright = globalThis.innerHeight > globalThis.innerWidth;
  if (!upright || cards.length <= ONE_ROW_MAX) return [cards];
  const half = Math.ceil(cards.length / 2);
  return [cards.slice(0, half), cards.slice(half)];
}

/** Describe the own hand. A spectator sees the backs of the cards of seat 0. */
export function rack(state, controls) {
  const { round } = state.table;
  if (round.seat < 0) return watched(round);
  const cards = ordered(round.hand, orderOf(state, state.table.face));
  const rows = rowsOf(cards);
  return h(
    "section.rack",
    { key: "rack", "aria-label": t("hand.title"), class: `rows-${rows.length}` },
    h(
      "div.poker-fan",
      {
        // A pointer leaves the focus where it is: Enter and Space stay keys of the game.
        onmousedown: (event) => event.preventDefault(),
        onpointerdown: (event) =>
          stroke(event, {
            paint: (painted) => controls.play.setUi({ painted }),
            take: (taken) => toggle(controls, taken),
          }),
      },
      rows.map((row, at) => h("div.fan-row", { key: at, style: { "--n": String(row.length) } }, row.map((card) => handCard(state, controls, card)))),
    ),
  );
}

function watched(round) {
  const count = round.dealt && !round.end ? round.counts[0] : 0;
  return h(
    "section.rack.watched",
    { key: "rack", role: "img", "aria-label": t("hand.count", { count }) },
    h("div.poker-fan", {}, h("div.fan-row", { style: { "--n": String(count) } }, Array.from({ length: count }, (_, at) => h("span.poker.back", { key: at })))),
  );
}

function handCard(state, controls, card) {
  const { chosen, painted } = controls.play.ui;
  const isChosen = chosen.includes(card);
  const isNew = state.table.round.bottom.includes(card) && state.table.round.history.length === 0;
  return h(
    "button.poker.in-hand",
    {
      key: card,
      class: [cardTone(card), isChosen ? "chosen" : "", painted.includes(card) ? "painted" : "", isNew ? "new" : ""].join(" "),
      "data-card": card,
      "aria-label": cardWords(card),
      "aria-pressed": String(isChosen),
      // A pointer chooses by strokes; a click without one comes from a keyboard or a screen reader.
      onclick: (event) => {
        if (event.detail === 0) toggle(controls, [card]);
      },
    },
    face(card),
  );
}

// Playing cards as they look: rank and suit in the corner, the suit large; jokers wear a jester's cap.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { HIDDEN, rankOf, suitOf } from "./cards.mjs";

const SIGNS = {
  s: "M12 1.500C6.500 7.500 2.500 10.500 2.500 14.800a4.700 4.700 0 0 0 8.300 3c-.2 2.200-1 3.600-2.600 4.700h7.600c-1.600-1.100-2.400-2.500-2.600-4.700a4.700 4.700 0 0 0 8.300-3C21.500 10.500 17.500 7.500 12 1.500z",
  h: "M12 21.500C5.500 15.800 2 12 2 7.800a5.300 5.300 0 0 1 10-2.500 5.300 5.300 0 0 1 10 2.500c0 4.200-3.500 8-10 13.700z",
  c: "M12 1.500a4.700 4.700 0 0 1 3.700 7.600 4.700 4.700 0 1 1-2.500 8.600c.2 2.200 1 3.700 2.600 4.800H8.200c1.600-1.100 2.400-2.600 2.600-4.800a4.700 4.700 0 1 1-2.500-8.600A4.700 4.700 0 0 1 12 1.500z",
  d: "M12 1l8.500 11L12 23 3.500 12z",
  joker: "M4 20h16l1.200-8.500c-2.600 1.800-4.600 1.200-5.400-1.300L12 3.500 8.200 10.200c-.8 2.500-2.800 3.100-5.400 1.300zM2.800 11.500a1.600 1.600 0 1 1 .1 0zM21.200 11.500a1.600 1.600 0 1 1 .1 0zM12 3.500a1.600 1.600 0 1 1 .1 0z",
};

const sign = (name, kind) => h(`svg.${kind}`, { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, h("path", { d: SIGNS[name], fill: "currentColor" }));

const isJoker = (card) => suitOf(card) === "";

/** The rank as it is printed. */
export const rankPrint = (rank) => (rank === "T" ? "10" : rank);

/** What a screen reader says for a card. */
export function cardWords(card) {
  if (card === HIDDEN) return t("card.hidden");
  if (isJoker(card)) return t(`doudizhu.card.${card}`);
  return t("doudizhu.card", { suit: t(`doudizhu.suit.${suitOf(card)}`), rank: rankPrint(rankOf(card)) });
}

/** The classes of a card: its colour, and whether it is a joker or a court card. */
export function cardTone(card) {
  if (isJoker(card)) return `joker ${card === "R" ? "red" : "black"}`;
  return `${"hd".includes(suitOf(card)) ? "red" : "black"} ${"JQK".includes(rankOf(card)) ? "court" : ""}`;
}

/** 大王 stands one sign above the other; a word in letters runs down the edge, as on the cards of a shop. */
function jokerWord(word) {
  if (/^[a-z]+$/i.test(word)) return h("span.joker-word.in-letters", {}, word);
  return h("span.joker-word", {}, [...word].map((sign, at) => h("i", { key: at }, sign)));
}

/** What is printed on a card. */
export function face(card) {
  if (isJoker(card)) {
    return [
      h("span.corner", { "aria-hidden": "true" }, jokerWord(t(`doudizhu.joker.${card}`))),
      sign("joker", "large-sign"),
    ];
  }
  const suit = suitOf(card);
  return [
    h("span.corner", { "aria-hidden": "true" }, h("b.pip", { class: rankOf(card) === "T" ? "ten" : "" }, rankPrint(rankOf(card))), sign(suit, "small-sign")),
    "JQK".includes(rankOf(card)) ? h("span.court-letter", { "aria-hidden": "true" }, rankOf(card)) : sign(suit, "large-sign"),
  ];
}

/** A card that lies on the table. */
export function lyingCard(card, props = {}) {
  if (card === HIDDEN) return h("span.poker.lying.back", { ...props, role: "img", "aria-label": cardWords(card) });
  return h(`span.poker.lying`, { ...props, class: `${cardTone(card)} ${props.class ?? ""}`, role: "img", "aria-label": cardWords(card) }, face(card));
}

/** So many cards fit beside each other before a seat; more of them lie in rows that are equally long. */
const ROW_CARDS = 7;

const perRow = (count) => Math.ceil(count / Math.ceil(count / ROW_CARDS));

/** Cards in a row; for a screen reader one picture of all of them. */
export function cardLine(cards, { key, className = "" } = {}) {
  return h(
    "span.line",
    { key, class: className, role: "img", "aria-label": cards.map(cardWords).join(t("comma")), style: { "--n": String(cards.length), "--per": String(perRow(cards.length)) } },
    cards.map((card) => h("span.poker.lying", { key: card, class: cardTone(card), "aria-hidden": "true" }, face(card))),
  );
}

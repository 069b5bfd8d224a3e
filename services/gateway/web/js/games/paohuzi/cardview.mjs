// Cards as they look: tall, narrow, the big character at both ends.
import { HIDDEN, isBig, isRed, nameOf } from "./cards.mjs";
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";

/** What a screen reader says for a card. */
export const cardWords = (card) =>
  card === HIDDEN ? t("card.hidden") : `${t(isBig(card) ? "card.big" : "card.small")}${nameOf(card)}`;

/** A card. `size`: `mini` (melds, rivers), `small`, `large` (on offer). Hidden ones show their back. */
export function card(text, size = "mini", props = {}) {
  if (text === HIDDEN) return h(`span.card.back.${size}`, { ...props, role: "img", "aria-label": cardWords(text) });
  const colour = isRed(text) ? "red" : "black";
  return h(
    `span.card.${size}.${colour}`,
    { ...props, role: "img", "aria-label": cardWords(text) },
    face(text),
  );
}

/** The two characters of a card's face. */
export const face = (text) => [
  h("span.glyph", { "aria-hidden": "true" }, nameOf(text)),
  h("span.glyph.flip", { "aria-hidden": "true" }, nameOf(text)),
];

/** Which cards of a laid meld lie face down, by kind: 偎 all three, 臭偎 two, 提 three. */
const DOWN = { wei: 3, chouwei: 2, ti: 3 };

/** A meld as a column of cards. The own hidden ones are shown shaded to their owner. */
export function meldColumn(meld, { key, own = false, open = false, tag = "" }) {
  const down = open ? 0 : (DOWN[meld.kind] ?? 0);
  const cards = meld.cards.map((text, at) => {
    const isDown = at < down;
    if (isDown && (!own || text === HIDDEN)) return card(HIDDEN, "mini");
    return card(text, "mini", isDown ? { class: "shaded" } : {});
  });
  const words = `${t(`meld.${meld.kind}`)} ${meld.cards.map(cardWords).join(" ")}`;
  return h("span.meld", { key, role: "group", "aria-label": words, class: `kind-${meld.kind}` }, cards, tag);
}

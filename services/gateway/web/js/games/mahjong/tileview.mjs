// Tiles and melds as they look.
import { currentLanguage, t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { HIDDEN, tileName } from "./tiles.mjs";

/** What a screen reader says for a tile. */
export const tileWords = (tile) => (tile === HIDDEN ? t("mahjong.tile.hidden") : tileName(tile, currentLanguage()));

/** A tile; `?` shows its back. Its size is `--tw` of what it lies in. */
export function tile(text, props = {}) {
  const look = text === HIDDEN ? "back" : `face-${text}`;
  return h(`span.tile.${look}`, { ...props, role: "img", "aria-label": tileWords(text) });
}

/** Tiles in a row. */
export const tileRow = (tiles, props = () => ({})) => tiles.map((one, at) => tile(one, { key: at, ...props(one, at) }));

/** Which tile of a claimed meld lies on its side: it points at the seat that gave it. */
function turnedAt(meld, steps, seats) {
  if (steps <= 0) return -1;
  if (steps === seats - 1) return 0;
  return steps === 1 ? meld.tiles.length - 1 : 1;
}

/** A laid meld of the seat `at`. The outer tiles of a hidden kong lie face down; all know which it is. */
export function meldView(meld, at, seats, key) {
  const turned = turnedAt(meld, meld.from < 0 ? 0 : (meld.from - at + seats) % seats, seats);
  const isDown = (place) => meld.kind === "an" && (place === 0 || place === 3);
  const words = `${t(`mahjong.meld.${meld.kind}`)} ${meld.tiles.map(tileWords).join(" ")}`;
  return h(
    "span.meld",
    { key, role: "group", "aria-label": words, class: `kind-${meld.kind}`, "data-meld": `${meld.kind}:${meld.tile}` },
    meld.tiles.map((one, place) => tile(isDown(place) ? HIDDEN : one, { key: place, class: place === turned ? "turned" : "" })),
  );
}

// All faces as one style sheet: a tile is an element with the class of its text, at any size, with no request.
// Made once when the page loads; the browser keeps one picture per face and size.
import { KINDS } from "../tiles.mjs";
import { bamboo } from "./bamboo.mjs";
import { dots } from "./dots.mjs";
import { flower } from "./flowers.mjs";
import { BLACK, BLUE, GREEN, RED, glyph } from "./ink.mjs";

const NUMERALS = "一二三四五六七八九";
const HONOURS = { z1: ["東", BLUE], z2: ["南", BLUE], z3: ["西", BLUE], z4: ["北", BLUE], z5: ["中", RED], z6: ["發", GREEN] };
const LETTERS = { z1: "E", z2: "S", z3: "W", z4: "N", z5: "C", z6: "F", z7: "B" };

const WHITE = `<rect x="9" y="10" width="42" height="60" rx="3" fill="none" stroke="${BLUE}" stroke-width="4"/><rect x="15.500" y="16.500" width="29" height="47" rx="1.500" fill="none" stroke="${BLUE}" stroke-width="2"/>`;

function characters(rank) {
  return glyph(NUMERALS[rank - 1], { x: 14, y: 3, width: 32, ink: BLACK, weight: 14 }) + glyph("萬", { x: 11, y: 37, width: 38, height: 41, ink: RED, weight: 11 });
}

function honour(tile) {
  if (tile === "z7") return WHITE;
  const [name, ink] = HONOURS[tile];
  return glyph(name, { x: 5, y: 9, width: 50, height: 62, ink, weight: 13 });
}

/** What is engraved on a tile, as SVG on 60 × 80. */
export function engraving(tile) {
  const rank = Number(tile[1]);
  const suits = { m: characters, p: dots, s: bamboo };
  return suits[tile[0]]?.(rank) ?? (tile[0] === "z" ? honour(tile) : flower(tile));
}

/** Number or letter for a corner; flowers have theirs in the engraving. */
const indexOf = (tile) => (tile[0] === "z" ? LETTERS[tile] : tile[0] === "f" ? "" : tile[1]);

/** The picture of a tile. With `index` the engraving makes room for a number in the corner. */
export function tileSvg(tile, { index = false } = {}) {
  const sign = index ? indexOf(tile) : "";
  const art = engraving(tile);
  const body = sign
    ? `<g transform="translate(13 12) scale(.78 .84)">${art}</g>${glyph(sign, { x: 2, y: 3, width: 15, height: 20, ink: BLACK, weight: 21 })}`
    : art;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 80">${body}</svg>`;
}

const picture = (svg) => `url("data:image/svg+xml,${encodeURIComponent(svg)}")`;

/** The text of the style sheet. */
export function sheetText() {
  const plain = KINDS.map((tile) => `.face-${tile}{--face:${picture(tileSvg(tile))}}`);
  const marked = KINDS.map((tile) => `.tile-index .face-${tile}{--face:${picture(tileSvg(tile, { index: true }))}}`);
  return [...plain, ...marked].join("\n");
}

let made = false;

/** Put the faces into the document, once. */
export function loadFaces(root = document) {
  if (made) return;
  made = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(sheetText());
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

/** Whether tiles carry a number or letter in the corner. */
export const showIndexes = (on, root = document) => root.documentElement.classList.toggle("tile-index", on);

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

/** The text of the style sheet; `pictureOf(svg)` is what a face is drawn by. */
export function sheetText(pictureOf = picture) {
  const plain = KINDS.map((tile) => `.face-${tile}{--face:${pictureOf(tileSvg(tile))}}`);
  const marked = KINDS.map((tile) => `.tile-index .face-${tile}{--face:${pictureOf(tileSvg(tile, { index: true }))}}`);
  return [...plain, ...marked].join("\n");
}

let made = null;
let baked = { width: 0, images: [], addresses: [] };

/** Put the faces into the document, once. */
export function loadFaces(root = document) {
  if (made) return;
  made = new CSSStyleSheet();
  made.replaceSync(sheetText());
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, made];
}

/** The widest face that there is on a screen of this size (`--u`, a tile of the hand), in its own points. */
function widthNeeded({ innerWidth, innerHeight, devicePixelRatio }) {
  const unit = Math.min(innerWidth / 667, innerHeight / 375);
  return Math.min(FACE_WIDTH_MAX, Math.ceil(47 * 0.88 * Math.max(1, unit) * devicePixelRatio));
}

const FACE_WIDTH_MAX = 360;

/**
 * Turn the faces into pictures of points. Strokes are drawn anew wherever a tile has moved, hundreds of times on the way through a
 * replay; a picture is copied. A browser that can't do it keeps the strokes.
 */
export async function bakeFaces(root = document, frame = globalThis) {
  loadFaces(root);
  const width = widthNeeded(frame);
  if (width <= baked.width) return;
  const before = baked;
  baked = { width, images: [], addresses: [] };
  try {
    const index = root.documentElement.classList.contains("tile-index");
    const svgs = KINDS.map((tile) => tileSvg(tile, { index }));
    const points = new Map(await Promise.all(svgs.map(async (svg) => [svg, await pointsOf(svg, width)])));
    made.replaceSync(sheetText((svg) => (points.has(svg) ? `url("${points.get(svg)}")` : picture(svg))));
    before.addresses.forEach((address) => URL.revokeObjectURL(address));
  } catch {
    baked = before;
  }
}

/** The address of a face as a picture so many points wide; it is in memory when it is returned. */
async function pointsOf(svg, width) {
  const height = Math.round((width * 80) / 60);
  const strokes = new Image();
  strokes.src = `data:image/svg+xml,${encodeURIComponent(svg.replace("<svg ", `<svg width="${width}" height="${height}" `))}`;
  await strokes.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(strokes, 0, 0, width, height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const address = URL.createObjectURL(blob);
  const image = new Image();
  image.src = address;
  await image.decode();
  baked.images.push(image);
  baked.addresses.push(address);
  return address;
}

/** Whether tiles carry a number or letter in the corner. */
export const showIndexes = (on, root = document) => root.documentElement.classList.toggle("tile-index", on);

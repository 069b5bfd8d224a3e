// Colours of the engraving, and a character at a place.
import { glyphPath } from "./brush.mjs";
import { GLYPHS } from "./glyphs.mjs";

export const RED = "#c4151c";
export const GREEN = "#0a7440";
export const BLUE = "#1c3f94";
export const BLACK = "#1d1a18";

const paths = new Map();

/** A character in a box: `(x, y)` is its upper left corner. */
export function glyph(name, { x, y, width, height = width, ink, weight = 13 }) {
  const id = `${name}/${weight}`;
  if (!paths.has(id)) paths.set(id, glyphPath(GLYPHS[name], weight));
  return `<path fill="${ink}" transform="translate(${x} ${y}) scale(${width / 100} ${height / 100})" d="${paths.get(id)}"/>`;
}

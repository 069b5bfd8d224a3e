// 花: four seasons and four plants, each a character above its picture.
import { BLUE, GREEN, RED, glyph } from "./ink.mjs";

const GOLD = "#c98a12";
const PINK = "#d8467a";

const around = (count, draw) => Array.from({ length: count }, (_, at) => `<g transform="rotate(${(360 / count) * at})">${draw(at)}</g>`).join("");
const petal = (long, wide, ink) => `<path d="M0 0C${-wide} ${-long * 0.4} ${-wide} ${-long} 0 ${-long}C${wide} ${-long} ${wide} ${-long * 0.4} 0 0Z" fill="${ink}"/>`;
const blossom = (x, y, size, count, ink, heart = GOLD) =>
  `<g transform="translate(${x} ${y})">${around(count, () => petal(size, size * 0.55, ink))}<circle r="${size * 0.24}" fill="${heart}"/></g>`;
const line = (d, ink, width = 2.6) => `<path d="${d}" fill="none" stroke="${ink}" stroke-width="${width}" stroke-linecap="round"/>`;
const leaf = (x, y, turn, long, ink = GREEN, slim = 0.2) => `<g transform="translate(${x} ${y}) rotate(${turn})">${petal(long, long * slim, ink)}</g>`;

/** Pictures in the lower part of a face of 60 × 80. */
const PICTURES = {
  f1: () => line("M8 76C22 70 30 62 52 50", "#6b4a26", 3.2) + blossom(20, 64, 9, 5, PINK) + blossom(42, 58, 10, 5, PINK) + leaf(33, 66, 130, 10),
  f2: () => `<path d="M5 70C14 60 46 60 55 70C46 78 14 78 5 70Z" fill="${GREEN}"/>` + [-56, -28, 28, 56, 0].map((turn, at) => leaf(30, 69, turn, 23, at % 2 ? "#b52f63" : PINK, 0.3)).join(""),
  f3: () => line("M30 78V58", "#7a4a10", 3) + [-100, -50, 0, 50, 100].map((turn) => leaf(30, 64, turn, turn % 100 ? 20 : 18, turn ? "#c4571a" : RED, 0.34)).join(""),
  f4: () => `<g transform="translate(30 61)">${around(6, () => `<path d="M0 0V-17M0 -9L-5 -14M0 -9L5 -14" fill="none" stroke="${BLUE}" stroke-width="2.700" stroke-linecap="round"/>`)}<circle r="3" fill="${BLUE}"/></g>`,
  f5: () => line("M10 78C24 70 24 58 46 48", "#6b4a26", 3.4) + blossom(22, 58, 8, 5, RED) + blossom(40, 66, 10, 5, RED),
  f6: () => [-50, -24, 4, 34, 60].map((turn, at) => leaf(26, 79, turn, 34 - 4 * (at % 2), GREEN, 0.12)).join("") + blossom(40, 54, 9, 3, BLUE) + blossom(40, 54, 5, 3, "#7b8fd6"),
  f7: () => line("M24 79V46", GREEN, 4.4) + line("M22 58H26M22 68H26", "#fffaf0", 1.8) + [60, 96, 130].map((turn) => leaf(25, 58, turn, 27, GREEN, 0.17)).join("") + [-70, -115].map((turn) => leaf(23, 66, turn, 19, GREEN, 0.17)).join(""),
  f8: () => line("M30 79V64", GREEN, 3) + leaf(30, 76, 60, 15) + leaf(30, 76, -60, 15) + `<g transform="translate(30 58)">${around(13, () => petal(16, 2.6, GOLD))}<circle r="4.500" fill="#8a5a08"/></g>`,
};

export const FLOWER_NAMES = { f1: "春", f2: "夏", f3: "秋", f4: "冬", f5: "梅", f6: "兰", f7: "竹", f8: "菊" };

/** The face of a flower: its number within its four, its character, its picture. */
export function flower(tile) {
  const at = Number(tile[1]);
  const ink = at <= 4 ? RED : BLUE;
  const number = glyph(String(((at - 1) % 4) + 1), { x: 4, y: 5, width: 12, height: 16, ink, weight: 20 });
  return number + glyph(FLOWER_NAMES[tile], { x: 20, y: 4, width: 34, height: 36, ink, weight: 11 }) + PICTURES[tile]();
}

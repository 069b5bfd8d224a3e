// Mahjong tiles as text (docs/games/kawuxing.md, docs/games/qinghunpeng.md): m 万, p 筒, s 条, z 字, f 花.

export const HIDDEN = "?";
export const COPIES = 4;
const TILE = /[mps][1-9]|z[1-7]|f[1-8]/g;
const HONOURS = "东南西北中发白";
const FLOWERS = "春夏秋冬梅兰竹菊";
const RANKS = "一二三四五六七八九";
const HONOURS_EN = ["East", "South", "West", "North", "red dragon", "green dragon", "white dragon"];
const FLOWERS_EN = ["spring", "summer", "autumn", "winter", "plum", "orchid", "bamboo flower", "chrysanthemum"];
const SUITS_ZH = { m: "万", p: "筒", s: "条" };
const SUITS_EN = { m: "characters", p: "dots", s: "bamboo" };

/** Kinds of which there are four. */
export const BASIC = [..."mps"].flatMap((suit) => Array.from({ length: 9 }, (_, at) => `${suit}${at + 1}`)).concat(Array.from({ length: 7 }, (_, at) => `z${at + 1}`));

/** All kinds in the fixed order, flowers last. */
export const KINDS = [...BASIC, ...Array.from({ length: 8 }, (_, at) => `f${at + 1}`)];

const ORDER = new Map(KINDS.map((tile, at) => [tile, at]));

/** A tile's place in `KINDS`. */
export const placeOf = (tile) => ORDER.get(tile);

/** Order of the notation. */
export const compareTiles = (a, b) => ORDER.get(a) - ORDER.get(b);

export const isTile = (text) => ORDER.has(text);
export const isFlower = (tile) => tile[0] === "f";

/** The tiles of a run-together word; `-` and `` are none. */
export const parseTiles = (word) => word.match(TILE) ?? [];

/** `count` copies of a tile. */
export const copies = (tile, count) => Array(count).fill(tile);

/** What people call a tile, in a language (`zh-CN` or `en`). */
export function tileName(tile, language) {
  const at = Number(tile[1]) - 1;
  const english = language === "en";
  if (tile[0] === "z") return english ? HONOURS_EN[at] : HONOURS[at];
  if (tile[0] === "f") return english ? FLOWERS_EN[at] : FLOWERS[at];
  return english ? `${at + 1} ${SUITS_EN[tile[0]]}` : `${RANKS[at]}${SUITS_ZH[tile[0]]}`;
}

/** Tiles counted by kind. */
export function countTiles(tiles) {
  const counts = new Map();
  for (const tile of tiles) counts.set(tile, (counts.get(tile) ?? 0) + 1);
  return counts;
}

/** `tiles` without one copy of each of `taken`; what is not there is not missed. */
export function without(tiles, taken) {
  const left = [...tiles];
  for (const tile of taken) {
    const at = left.indexOf(tile);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

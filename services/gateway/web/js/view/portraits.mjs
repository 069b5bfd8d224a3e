// The built-in pictures a01 to a24, drawn: each a few lines on a disc of its own colour.
import { h } from "../lib/vdom.mjs";

const ray = (from, to, turns) =>
  Array.from({ length: turns }, (_, at) => {
    const angle = (2 * Math.PI * at) / turns;
    const point = (radius) => `${(24 + radius * Math.sin(angle)).toFixed(1)} ${(24 - radius * Math.cos(angle)).toFixed(1)}`;
    return `M${point(from)}L${point(to)}`;
  }).join("");

const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

const petals = (radius, size, count) =>
  Array.from({ length: count }, (_, at) => {
    const angle = (2 * Math.PI * at) / count;
    return disc(Number((24 + radius * Math.sin(angle)).toFixed(1)), Number((22 - radius * Math.cos(angle)).toFixed(1)), size);
  }).join("");

/** Lines, then what is filled, on 48 × 48. */
const DRAWN = [
  // dragon, phoenix, tiger, crane, deer, horse, fish, swallow
  ["M11 33c7 4 11-2 9-7s2-11 9-10c4 .6 6 3 6 6l-4 2M33 16l3-5M29 16l-1-5M17 37c-2-1-4-1-6 1", disc(30.5, 20.5, 1.4)],
  ["M30 16c-5-3-10 0-11 6-1 5-5 7-9 12M19 25c4 4 3 8-2 13M21 28c5 2 7 6 4 11M26 22c4 0 7 2 9 6M33 15l4 1M31 12l1-4", disc(30.5, 15.5, 2)],
  ["M14 18l-1-7 6 4h10l6-4-1 7c3 9-2 18-10 18s-13-9-10-18zM24 15v5M20 16l1 3M28 16l-1 3M14 26h4M30 26h4M24 31c-1 2-3 2-4 1M24 31c1 2 3 2 4 1", disc(20, 24, 1.5) + disc(28, 24, 1.5) + "M22 28h4l-2 3z"],
  ["M33 11c-5-2-7 2-6 6s2 8-4 11H12c3-6 9-9 13-8M23 28v10M19 38h7M33 11l5 2", disc(31.5, 12.5, 1.2)],
  ["M18 21c-3-2-5-5-5-10M15 16l-4-2M30 21c3-2 5-5 5-10M33 16l4-2M18 21h12l-3 13c-1 3-5 3-6 0zM18 21l-5 2M30 21l5 2", disc(21.5, 25, 1.2) + disc(26.5, 25, 1.2) + disc(24, 33, 1.5)],
  ["M18 38c0-8-2-11 1-18l-1-7 5 4c7 1 10 6 13 13l-4 3-6-3c-2 3-2 5-1 8M16 21l-4 2M15 27l-4 3M15 33l-3 3", disc(26, 23, 1.3)],
  ["M10 24c6-9 16-9 22 0-6 9-16 9-22 0zM32 24l6-6v12zM22 19c2 3 2 7 0 10M12 37c3-2 5-2 8 0s5 2 8 0", disc(16.5, 22.5, 1.5)],
  ["", "M9 14c7 1 12 4 15 9 3-5 8-8 15-9-4 5-8 10-11 13l5 11-9-7-9 7 5-11c-3-3-7-8-11-13z"],
  // pine, bamboo, plum blossom, orchid, chrysanthemum, lotus
  ["M24 9l-8 9h4l-7 8h5l-8 9h28l-8-9h5l-7-8h4zM24 35v5", ""],
  ["M19 39V10M28 39V15M16 20h6M16 30h6M25 24h6M25 32h6", "M29 17c3-4 6-4 9-3-2 4-5 5-9 3zM18 14c-3-3-6-3-8-1 2 3 5 3 8 1z"],
  [`${petals(7, 5, 5)}M11 40c4-6 8-7 12-9M15 36l-5-1`, disc(24, 22, 2.2)],
  ["M24 39c-2-10-6-15-14-18M24 39c2-12 7-18 15-20M24 39V24", "M24 24c-5-2-6-7-4-12 3 1 4 4 4 7 0-4 2-6 5-7 2 5 0 10-5 12z"],
  [ray(6, 15, 16), disc(24, 24, 5)],
  ["M24 32c-6-3-8-9-5-17 4 3 6 8 5 17zM24 32c6-3 8-9 5-17-4 3-6 8-5 17zM24 32c-8 1-13-3-14-10 4-1 6 0 9 3M24 32c8 1 13-3 14-10-4-1-6 0-9 3M12 37h24", ""],
  // mountain, water, cloud, moon, star, sun, wind, snow, flower, tea
  ["M9 36l10-20 6 11 4-6 10 15z", "M19 16l-3 6 3 3 3-3z"],
  ["M10 18c4-4 7-4 10 0s6 4 9 0 6-4 9 0M10 26c4-4 7-4 10 0s6 4 9 0 6-4 9 0M10 34c4-4 7-4 10 0s6 4 9 0 6-4 9 0", ""],
  ["M15 34h19c6 0 7-9 1-10 0-8-9-10-13-4-5-2-9 2-8 7-5 1-4 7 1 7z", ""],
  ["", "M31 36a14 14 0 1 1 0-25 11 11 0 1 0 0 25z"],
  ["", "M24 9l4 11 11 1-9 7 4 11-10-7-10 7 4-11-9-7 11-1z"],
  [ray(11, 16, 8), disc(24, 24, 7)],
  ["M10 20h18c5 0 5-8 0-8-3 0-4 2-4 3M10 26h24c5 0 5 9 0 9-3 0-4-2-4-3M10 32h12", ""],
  [`${ray(0, 15, 6)}M20 12l4 4 4-4M20 36l4-4 4 4M12 24l5-2M36 24l-5-2`, ""],
  ["M24 39V27M24 36c-4 0-7-2-8-6M24 36c4 0 7-2 8-6", "M24 27c-7 0-10-6-8-15l4 4 4-6 4 6 4-4c2 9-1 15-8 15z"],
  ["M13 22h20v6c0 5-4 9-10 9s-10-4-10-9zM33 24c6-1 6 7-1 7M18 17c-2-2 2-3 0-6M24 17c-2-2 2-3 0-6M30 17c-2-2 2-3 0-6M12 40h22", ""],
];

/** The drawing of a picture by its number, from 0. */
export function portrait(at) {
  const [lines, filled] = DRAWN[at];
  return h(
    "svg.portrait-art",
    { viewBox: "0 0 48 48", "aria-hidden": "true", focusable: "false" },
    lines ? h("path", { d: lines, fill: "none", stroke: "currentColor", "stroke-width": "2.2", "stroke-linecap": "round", "stroke-linejoin": "round" }) : null,
    filled ? h("path", { d: filled, fill: "currentColor" }) : null,
  );
}

// The score sheet as a picture: a canvas that the browser saves. What it shows is given as words and numbers.
import { signed } from "../lib/i18n.mjs";

const WIDTH = 720;
const SCALE = 2;
const EDGE = 40;
const ROW = 38;
const RANK = 58;
const FONT = '"PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", system-ui, sans-serif';
const INK = { felt: "#124a38", deep: "#0a2e23", paper: "#fffaf0", band: "#f4e7c8", ink: "#211a14", soft: "#5a4a3a", gold: "#f0c65a", plus: "#a3231c", minus: "#0f5c33", edge: "#d9cba6" };

const toneOf = (value) => (value > 0 ? INK.plus : value < 0 ? INK.minus : INK.soft);

/** A text cut to a width, with an ellipsis where it was longer. */
function cut(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let short = text;
  while (short && pen.measureText(`${short}…`).width > width) short = short.slice(0, -1);
  return `${short}…`;
}

/**
 * Draw the sheet: a heading, who came first, and points by round. `rows` is `[{no, points}]` by seat, `places` is `[{seat, place}]` from the
 * best, `best` those with most points. Returns the canvas.
 */
export function drawSheet({ title, facts, when, names, words, rows, sums, places, best }) {
  const head = 132;
  const ranks = places.length * RANK + 24;
  const table = (rows.length + 2) * ROW;
  const height = head + ranks + table + EDGE + 56;
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH * SCALE;
  canvas.height = height * SCALE;
  const pen = canvas.getContext("2d");
  pen.scale(SCALE, SCALE);
  const text = (words, x, y, { size = 18, weight = 400, colour = INK.ink, align = "left", width = WIDTH } = {}) => {
    pen.font = `${weight} ${size}px ${FONT}`;
    pen.fillStyle = colour;
    pen.textAlign = align;
    pen.textBaseline = "middle";
    pen.fillText(cut(pen, words, width), x, y);
  };
  const box = (x, y, width, high, colour, radius = 0) => {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.roundRect(x, y, width, high, radius);
    pen.fill();
  };
  // the ground and the heading
  const ground = pen.createLinearGradient(0, 0, 0, height);
  ground.addColorStop(0, INK.felt);
  ground.addColorStop(1, INK.deep);
  pen.fillStyle = ground;
  pen.fillRect(0, 0, WIDTH, height);
  text(title, WIDTH / 2, 44, { size: 30, weight: 700, colour: INK.gold, align: "center" });
  text(facts, WIDTH / 2, 82, { size: 17, colour: "#f8efd8", align: "center", width: WIDTH - 2 * EDGE });
  text(when, WIDTH / 2, 108, { size: 15, colour: "#cfe0d6", align: "center" });
  // who came first
  box(EDGE, head, WIDTH - 2 * EDGE, ranks, INK.paper, 16);
  places.forEach(({ seat, place }, at) => {
    const y = head + 12 + at * RANK;
    const first = best.includes(seat);
    if (first) box(EDGE + 10, y + 4, WIDTH - 2 * EDGE - 20, RANK - 8, INK.band, 10);
    pen.fillStyle = first ? INK.gold : INK.edge;
    pen.beginPath();
    pen.arc(EDGE + 42, y + RANK / 2, 17, 0, 2 * Math.PI);
    pen.fill();
    text(String(place), EDGE + 42, y + RANK / 2 + 1, { size: 17, weight: 700, align: "center" });
    text(names[seat], EDGE + 76, y + RANK / 2, { size: 21, weight: first ? 700 : 500, width: 400 });
    text(signed(sums[seat]), WIDTH - EDGE - 24, y + RANK / 2, { size: 26, weight: 700, colour: toneOf(sums[seat]), align: "right" });
  });
  // points by round
  const top = head + ranks + 16;
  box(EDGE, top, WIDTH - 2 * EDGE, table, INK.paper, 16);
  const first = 92;
  const column = (WIDTH - 2 * EDGE - first) / names.length;
  const at = (seat) => EDGE + first + column * (seat + 0.5);
  const line = (no, y) => {
    if (no % 2) box(EDGE, y, WIDTH - 2 * EDGE, ROW, "rgb(244 231 200 / 45%)");
  };
  text(words.round, EDGE + 46, top + ROW / 2 + 2, { size: 15, colour: INK.soft, align: "center" });
  names.forEach((name, seat) => text(name, at(seat), top + ROW / 2 + 2, { size: 15, weight: 600, colour: INK.soft, align: "center", width: column - 8 }));
  rows.forEach((row, index) => {
    const y = top + ROW * (index + 1);
    line(index + 1, y);
    text(String(row.no), EDGE + 46, y + ROW / 2, { size: 16, colour: INK.soft, align: "center" });
    names.forEach((_, seat) => text(signed(row.points[seat] ?? 0), at(seat), y + ROW / 2, { size: 18, weight: 500, colour: toneOf(row.points[seat] ?? 0), align: "center" }));
  });
  const y = top + ROW * (rows.length + 1);
  pen.fillStyle = INK.edge;
  pen.fillRect(EDGE + 16, y, WIDTH - 2 * EDGE - 32, 1.5);
  text(words.sum, EDGE + 46, y + ROW / 2, { size: 16, weight: 700, align: "center" });
  names.forEach((_, seat) => text(signed(sums[seat]), at(seat), y + ROW / 2, { size: 19, weight: 700, colour: toneOf(sums[seat]), align: "center" }));
  text(words.foot, WIDTH / 2, height - 30, { size: 14, colour: "#cfe0d6", align: "center" });
  return canvas;
}

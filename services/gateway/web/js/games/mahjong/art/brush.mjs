// A brush: strokes with a width that changes along them, as outlines for an SVG path.

/** How the width runs along a stroke, by its kind, as shares of the glyph's weight from start to end. */
const PROFILES = {
  /** 横 */ h: [0.85, 0.62, 0.64, 1.05],
  /** 竖 */ v: [1.1, 0.86, 0.86, 0.95],
  /** 撇 */ p: [1.15, 0.95, 0.7, 0.12],
  /** 捺 */ n: [0.2, 0.7, 1.3, 0.12],
  /** 点 */ d: [0.25, 0.95, 1.25, 0.7],
  /** 提, and the hook at the end of a stroke */ t: [1.1, 0.8, 0.45, 0.1],
  /** A bend of even width */ c: [0.95, 0.82, 0.84, 0.9],
};

const STEPS = 5;

/** A point of the smooth curve through `points` between the `at`-th and the next. */
function between(points, at, share) {
  const [a, b, c, d] = [-1, 0, 1, 2].map((by) => points[Math.min(points.length - 1, Math.max(0, at + by))]);
  return [0, 1].map((axis) => {
    const [p, q, r, s] = [a[axis], b[axis], c[axis], d[axis]];
    return 0.5 * (2 * q + (r - p) * share + (2 * p - 5 * q + 4 * r - s) * share ** 2 + (3 * q - p - 3 * r + s) * share ** 3);
  });
}

function curve(points) {
  const out = [];
  for (let at = 0; at + 1 < points.length; at++) {
    for (let step = 0; step < STEPS; step++) out.push(between(points, at, step / STEPS));
  }
  out.push(points.at(-1));
  return out;
}

function widthAt(profile, share) {
  const place = share * (profile.length - 1);
  const low = Math.min(profile.length - 2, Math.floor(place));
  return profile[low] + (profile[low + 1] - profile[low]) * (place - low);
}

const written = (value) => String(Math.round(value * 10) / 10);

/** The outline of one stroke: `"h 8 52 92 48"` is its kind and the points it runs through. */
export function stroke(text, weight) {
  const [kind, ...numbers] = text.split(" ");
  const values = numbers.map(Number);
  const points = curve(Array.from({ length: values.length / 2 }, (_, at) => [values[2 * at], values[2 * at + 1]]));
  const sides = [[], []];
  points.forEach(([x, y], at) => {
    const [from, to] = [points[Math.max(0, at - 1)], points[Math.min(points.length - 1, at + 1)]];
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const size = Math.hypot(dx, dy) || 1;
    const half = (weight * widthAt(PROFILES[kind], at / (points.length - 1))) / 2;
    sides[0].push([x - (dy / size) * half, y + (dx / size) * half]);
    sides[1].push([x + (dy / size) * half, y - (dx / size) * half]);
  });
  const radius = (share) => written((weight * widthAt(PROFILES[kind], share)) / 2);
  const line = (side) => side.map((point) => point.map(written).join(" ")).join("L");
  const back = sides[1].reverse();
  return `M${line(sides[0])}A${radius(1)} ${radius(1)} 0 0 0 ${back[0].map(written).join(" ")}L${line(back.slice(1))}A${radius(0)} ${radius(0)} 0 0 0 ${sides[0][0].map(written).join(" ")}Z`;
}

/** The path of a glyph: strokes separated by `;`, on a square of 100. */
export const glyphPath = (strokes, weight) =>
  strokes
    .split(";")
    .map((one) => stroke(one.trim(), weight))
    .join("");

// 条: rods of bamboo; the first is a bird.
import { BLUE, GREEN, RED } from "./ink.mjs";

/** Rods by rank: `[x, y, ink, degrees]`, the middle of each on a face of 60 × 80; then half their length. */
const RODS = {
  2: { half: 15, rods: [[30, 21, GREEN], [30, 59, BLUE]] },
  3: { half: 15, rods: [[30, 21, GREEN], [17, 59, BLUE], [43, 59, GREEN]] },
  4: { half: 15, rods: [[17, 21, GREEN], [43, 21, BLUE], [17, 59, BLUE], [43, 59, GREEN]] },
  5: { half: 13, rods: [[14, 20, GREEN], [46, 20, BLUE], [30, 40, RED], [14, 60, BLUE], [46, 60, GREEN]] },
  6: { half: 15, rods: [21, 59].flatMap((y) => [12, 30, 48].map((x) => [x, y, y < 40 ? GREEN : BLUE])) },
  7: { half: 10.5, rods: [[30, 13.5, RED], ...[40, 66.5].flatMap((y) => [12, 30, 48].map((x) => [x, y, x === 30 ? BLUE : GREEN]))] },
  8: {
    half: 15,
    rods: [[9, 21, GREEN], [51, 21, GREEN], [23, 21, GREEN, -34], [37, 21, GREEN, 34], [9, 59, BLUE], [51, 59, BLUE], [23, 59, BLUE, 34], [37, 59, BLUE, -34]],
  },
  9: { half: 10.5, rods: [13.5, 40, 66.5].flatMap((y) => [[12, GREEN], [30, RED], [48, BLUE]].map(([x, ink]) => [x, y, ink])) },
};

/** A rod: two joints of bamboo with knots at the ends and in the middle. */
function rod([x, y, ink, turn = 0], half, wide) {
  const knot = (at) => `<rect x="-5" y="${at - 2.1}" width="10" height="4.2" rx="2.1" fill="${ink}"/>`;
  const joint = (from) => `<rect x="-3.4" y="${from}" width="6.8" height="${half}" rx="2.6" fill="${ink}"/><path d="M0 ${from + 3}V${from + half - 3}" stroke="#fffaf0" stroke-width="1.5" stroke-linecap="round"/>`;
  return `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${wide} 1)">${joint(-half)}${joint(0)}${knot(-half + 1.2)}${knot(0)}${knot(half - 1.2)}</g>`;
}

/** A peacock on a branch, looking left. */
function bird() {
  const feathers = [-6, 12, 30, 48, 66].map((turn, at) => {
    const ink = at % 2 ? BLUE : GREEN;
    return `<g transform="translate(30 50) rotate(${turn - 118})"><path d="M0 0C-7 10 -7 22 0 31C7 22 7 10 0 0Z" fill="${ink}"/><circle cx="0" cy="23" r="3.4" fill="#fffaf0"/><circle cx="0" cy="23" r="1.9" fill="${RED}"/></g>`;
  });
  return [
    `<path d="M5 68C20 62 42 74 56 66" fill="none" stroke="${GREEN}" stroke-width="3.6" stroke-linecap="round"/>`,
    ...feathers,
    `<path d="M26 62L25 68M33 62L34 69" stroke="${RED}" stroke-width="2.2" stroke-linecap="round"/>`,
    `<path d="M17 24C19 34 15 38 16 48C17 58 24 63 32 62C41 60 44 50 39 43C34 36 28 36 26 27Z" fill="${GREEN}"/>`,
    `<path d="M23 46C27 42 34 43 37 48C38 54 33 59 28 58C24 56 22 51 23 46Z" fill="${BLUE}"/>`,
    `<path d="M26 50C29 48 32 49 34 51M26 54C29 52 31 53 33 55" fill="none" stroke="#fffaf0" stroke-width="1.4" stroke-linecap="round"/>`,
    `<circle cx="20" cy="20" r="7.4" fill="${GREEN}"/><path d="M14 18L4 22L14 24Z" fill="${RED}"/>`,
    `<circle cx="18.600" cy="18.600" r="2.5" fill="#fffaf0"/><circle cx="18.200" cy="18.600" r="1.3" fill="#1d1a18"/>`,
    `<path d="M21 13L19 5M24 14L26 6M26 17L32 10" stroke="${RED}" stroke-width="2.200" stroke-linecap="round"/>`,
    `<circle cx="19" cy="4.800" r="2" fill="${RED}"/><circle cx="26.500" cy="5.300" r="2" fill="${RED}"/><circle cx="32.800" cy="9.400" r="2" fill="${RED}"/>`,
  ].join("");
}

/** The face of a 条. */
export function bamboo(rank) {
  if (rank === 1) return bird();
  const { half, rods } = RODS[rank];
  return rods.map((one) => rod(one, half, rank < 5 ? 1.3 : rank === 8 ? 0.95 : 1.15)).join("");
}

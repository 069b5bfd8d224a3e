// 筒: coins. The large ones are rings of petals, the small ones a ring, a gap and a heart.
import { BLUE, GREEN, RED } from "./ink.mjs";

/** Rows of coins by rank: `[x, y, ink]` on a face of 60 × 80; the radius follows from how many there are. */
const COINS = {
  2: [[30, 21, GREEN], [30, 59, BLUE]],
  3: [[15, 17, BLUE], [30, 40, RED], [45, 63, GREEN]],
  4: [[17, 21, BLUE], [43, 21, GREEN], [17, 59, GREEN], [43, 59, BLUE]],
  5: [[15, 17, BLUE], [45, 17, GREEN], [30, 40, RED], [15, 63, GREEN], [45, 63, BLUE]],
  6: [[18, 15, GREEN], [42, 15, GREEN], [18, 44, RED], [42, 44, RED], [18, 67, RED], [42, 67, RED]],
  7: [[13, 11, GREEN], [30, 18, GREEN], [47, 25, GREEN], [18, 46, RED], [42, 46, RED], [18, 67, RED], [42, 67, RED]],
  8: [13, 31, 49, 67].flatMap((y) => [[18, y, BLUE], [42, y, BLUE]]),
  9: [[GREEN, 14], [RED, 40], [BLUE, 66]].flatMap(([ink, y]) => [12, 30, 48].map((x) => [x, y, ink])),
};

const RADIUS = { 2: 17.5, 3: 13, 4: 13.5, 5: 12, 6: 11.8, 7: 9.2, 8: 9.2, 9: 9.4 };

const ring = (x, y, r, ink, width) => `<circle cx="${x}" cy="${y}" r="${r}" fill="none" stroke="${ink}" stroke-width="${width}"/>`;

function coin(x, y, r, ink) {
  return `${ring(x, y, r * 0.84, ink, r * 0.3)}<circle cx="${x}" cy="${y}" r="${r * 0.42}" fill="${ink}"/><circle cx="${x}" cy="${y}" r="${r * 0.15}" fill="#fffaf0"/>`;
}

function great() {
  const petals = Array.from({ length: 12 }, (_, at) => {
    const turn = (Math.PI * at) / 6;
    const [x, y] = [30 + 18 * Math.cos(turn), 40 + 18 * Math.sin(turn)].map((value) => value.toFixed(1));
    return `<circle cx="${x}" cy="${y}" r="3.6" fill="${at % 2 ? RED : GREEN}"/>`;
  });
  const heart = `<circle cx="30" cy="40" r="6.600" fill="${RED}"/><circle cx="30" cy="40" r="2.400" fill="#fffaf0"/>`;
  return ring(30, 40, 25.5, BLUE, 4) + petals.join("") + ring(30, 40, 10.6, GREEN, 3) + heart;
}

/** The face of a 筒. */
export const dots = (rank) => (rank === 1 ? great() : COINS[rank].map(([x, y, ink]) => coin(x, y, RADIUS[rank], ink)).join(""));

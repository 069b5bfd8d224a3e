// What the own hand waits for, now and after each discard; counted once per state of the round.

const kept = { round: null, steps: -1, answers: new Map() };

/** `waits(round, discard)` of the game, remembered until the round goes on. */
export function waitsAfter(game, round, discard = "") {
  if (kept.round !== round || kept.steps !== round.steps) Object.assign(kept, { round, steps: round.steps, answers: new Map() });
  if (!kept.answers.has(discard)) kept.answers.set(discard, game.waits(round, discard));
  return kept.answers.get(discard);
}

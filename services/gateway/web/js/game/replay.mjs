// Rounds that were played here, kept to be looked at again step by step, as their player saw them, with what proves them.
import { fromHex, toHex } from "../../fairdeal.mjs";
import { checkFair } from "./fair.mjs";
import { Table } from "./table.mjs";

const PLACE = "paiju.rounds";
const ROUNDS_MAX = 12;

/** The game of rounds that were kept before there were several. */
const FIRST_GAME = "paohuzi";

const PRIVATE = new Set(["ask", "answer", "withdrawn", "mark"]);

/**
 * Keep a finished round: who sat there, what this seat could read, why it scored what it scored, what the auditor said, and
 * what the deal is checked against. Kept again, it gains what has come since (`ownNonce`: bytes, what this seat gave).
 */
export function keepRound(storage, table, ownNonce = null) {
  try {
    const all = kept(storage);
    const before = all.find((one) => one.roundId === table.roundId) ?? {};
    const others = all.filter((one) => one.roundId !== table.roundId);
    const { roundId, game, preset, rounds, texts, roundEnd, settlement, opening } = table;
    const round = {
      ...before,
      ...{ roundId, game, preset, rounds, texts },
      players: table.seats.map((seat) => seat.player_id),
      why: { zh: roundEnd?.explanation_zh ?? [], en: roundEnd?.explanation_en ?? [] },
      audit: settlement ? { verdict: settlement.verdict, auditor: settlement.auditor } : (before.audit ?? null),
      heard: opening?.commitment.length ? toHex(opening.commitment) : "",
      nonce: ownNonce?.length ? toHex(ownNonce) : (before.nonce ?? ""),
    };
    storage.setItem(PLACE, JSON.stringify([...others.slice(1 - ROUNDS_MAX), round]));
  } catch {
    // A browser that keeps nothing has no replay; the record is always there.
  }
}

function kept(storage) {
  try {
    const rounds = JSON.parse(storage.getItem(PLACE) ?? "[]");
    return Array.isArray(rounds) ? rounds : [];
  } catch {
    return [];
  }
}

/** A round that was kept, or null. */
export const keptRound = (storage, roundId) => kept(storage).find((one) => one.roundId === roundId) ?? null;

/** The deal check of a round that was kept, against its record (bytes), as `checkFair` says; null if it heard no commitment. */
export async function checkKept(round, record) {
  if (!round?.heard) return null;
  const table = tableAt(round, round.texts.length);
  const ownNonce = round.nonce ? fromHex(round.nonce) : null;
  return checkFair({ record, heard: fromHex(round.heard), ownNonce, round: table.round });
}

/** The places in the texts after which there is something to see: after the deal, then after each public event. */
export function stepsOf(texts) {
  const steps = [];
  texts.forEach((text, at) => {
    if (!PRIVATE.has(text.split(" ", 1)[0])) steps.push(at + 1);
  });
  return steps;
}

/** A round of the service as replays show it: every seat that may be looked at with its texts, all at the same steps. */
export function fromService({ replay, record, is_favourite, note }) {
  return {
    roundId: replay.round_id,
    game: replay.game,
    preset: replay.preset,
    rounds: 0,
    players: replay.players,
    scripts: new Map(replay.scripts.map(({ seat, events, told }) => [seat, { texts: events, told }])),
    steps: replay.steps,
    answers: replay.answers,
    points: replay.points,
    why: { zh: replay.explanation_zh, en: replay.explanation_en },
    deal: replay.deal,
    record,
    startedAtMs: replay.started_at_ms,
    own: replay.seat,
    isOpen: replay.viewer === "VIEWER_ABOVE",
    isFavourite: Boolean(is_favourite),
    note: note ?? "",
  };
}

/** A round that this browser has kept as replays show it: one seat, its own. */
export function fromKept(kept) {
  const told = stepsOf(kept.texts);
  const { round } = tableAt(kept, kept.texts.length);
  return {
    ...kept,
    scripts: new Map([[round.seat, { texts: kept.texts, told }]]),
    steps: told.map(() => ({ at_ms: 0, answers: 0 })),
    answers: [],
    points: round.end?.points ?? [],
    deal: null,
    record: new Uint8Array(0),
    startedAtMs: 0,
    own: round.seat,
    isOpen: false,
    isFavourite: false,
    note: "",
  };
}

/** The table at a step as a seat saw it. */
export function seenBy(round, seat, at) {
  const { texts, told } = round.scripts.get(seat);
  return tableAt({ ...round, texts }, told[at]);
}

/** The table at a step as a seat saw it, and beside that what every other seat knew of itself: `round.above`, hands by seat. */
export function seenFromAbove(round, seat, at) {
  const table = seenBy(round, seat, at);
  const { round: now } = table;
  now.above = {};
  for (const other of round.scripts.keys()) {
    if (other === seat) continue;
    const theirs = seenBy(round, other, at).round;
    now.above[other] = theirs.hand;
    if (now.melds) now.melds = now.melds.map((melds, owner) => (owner === other ? theirs.melds[other] : melds));
  }
  return table;
}

/** How far the texts of a seat are folded: whoever goes on from there folds only what is new. */
const folds = new WeakMap();

/** The fold of the first `count` texts; what is written on it later does not change the fold. */
function foldOf(face, texts, count) {
  let fold = folds.get(texts);
  if (!fold || fold.count > count) fold = { round: face.newRound(), count: 0 };
  // Until it has come through, it is nothing to go on from.
  folds.delete(texts);
  while (fold.count < count) {
    fold.round.add(texts[fold.count]);
    fold.count += 1;
  }
  folds.set(texts, fold);
  return Object.assign(Object.create(Object.getPrototypeOf(fold.round)), fold.round);
}

/** The table as it stood after so many texts; it is good until another step of the same round is asked for. */
export function tableAt({ roundId, game, preset, rounds, players, texts }, count) {
  const table = new Table(roundId.slice(0, roundId.lastIndexOf("/")));
  table.game = game ?? FIRST_GAME;
  const round = foldOf(table.face, texts, Math.min(count, texts.length));
  const points = round.end?.points ?? [];
  Object.assign(table, { known: true, phase: "playing", seat: round.seat, preset, rounds, round, roundId });
  table.roundNo = Number(roundId.slice(roundId.lastIndexOf("/") + 1));
  table.seats = players.map((player_id, seat) => ({
    seat,
    player_id,
    taken: true,
    online: true,
    auto_play: false,
    left: false,
    ready: false,
    gives_nonces: false,
    score: points[seat] ?? 0,
    stake: 0,
  }));
  return table;
}

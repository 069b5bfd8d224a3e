// Rounds that were played here, kept to be looked at again step by step, as their player saw them.
import { Table } from "./table.mjs";

const PLACE = "paiju.rounds";
const ROUNDS_MAX = 12;

/** The game of rounds that were kept before there were several. */
const FIRST_GAME = "paohuzi";

const PRIVATE = new Set(["ask", "answer", "withdrawn", "mark"]);

/** Keep a finished round: who sat there and what this seat could read. */
export function keepRound(storage, table) {
  try {
    const others = kept(storage).filter((one) => one.roundId !== table.roundId);
    const players = table.seats.map((seat) => seat.player_id);
    const { roundId, game, preset, rounds, texts } = table;
    storage.setItem(PLACE, JSON.stringify([...others.slice(1 - ROUNDS_MAX), { roundId, game, preset, rounds, players, texts }]));
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

/** The places in the texts after which there is something to see: after the deal, then after each public event. */
export function stepsOf(texts) {
  const steps = [];
  texts.forEach((text, at) => {
    if (!PRIVATE.has(text.split(" ", 1)[0])) steps.push(at + 1);
  });
  return steps;
}

/** The table as it stood after so many texts. */
export function tableAt({ roundId, game, preset, rounds, players, texts }, count) {
  const table = new Table(roundId.slice(0, roundId.lastIndexOf("/")));
  table.game = game ?? FIRST_GAME;
  const round = table.face.newRound();
  for (const text of texts.slice(0, count)) round.add(text);
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

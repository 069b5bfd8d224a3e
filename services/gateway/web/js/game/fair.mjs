// The fair-deal check of a round that was played here: what the record proves, held against what this seat saw.
import { checkRecord, toHex } from "../../fairdeal.mjs";

/**
 * Check a finished round.
 *
 * `heard` is the commitment of the round's opening, `ownNonce` what this seat revealed (null: nothing), `round` the Round
 * this page folded (its `dealtTo(wall, seat)` names the cards of a shuffled deck that a seat is dealt, `ownDeal` those it was
 * dealt, `seen` other cards it saw: `[place, card]`, and `agrees(wall)`, if it has it, looks at the rest). Returns `{ok, problems, contributed, seats, checks}`; each check is `{name, ok}` with the names
 * `commitment`, `nonce` (only if one was given), `dealer`, `hand`, `wall`.
 */
export async function checkFair({ record, heard, ownNonce, round }) {
  const text = new TextDecoder().decode(record);
  const base = await checkRecord(text, heard?.length ? toHex(heard) : null);
  const checks = [];
  const add = (name, ok) => checks.push({ name, ok });
  add("commitment", Boolean(heard?.length) && !base.problems.some((line) => line.includes("commitment")));
  if (ownNonce) add("nonce", namedNonce(text, round.seat) === toHex(ownNonce));
  add("dealer", base.dealer === round.dealer && !base.problems.some((line) => line.includes("dealer")));
  if (base.wall && round.dealt) {
    if (round.seat >= 0) add("hand", sameCards(round.dealtTo(base.wall, round.seat), round.ownDeal));
    add("wall", round.seen.every(([place, card]) => base.wall[place] === card) && (round.agrees?.(base.wall) ?? true));
  } else add("wall", false);
  return {
    ok: base.ok && checks.every((check) => check.ok),
    problems: base.problems,
    contributed: base.contributed,
    seats: base.seats,
    checks,
  };
}

function sameCards(a, b) {
  return [...a].sort().join() === [...b].sort().join();
}

function namedNonce(text, seat) {
  const line = text.split("\n\n", 1)[0].split("\n").find((head) => head.startsWith("Nonces: "));
  return line?.slice("Nonces: ".length).split(",")[seat] ?? "";
}

// The book as a person reads it: what belongs together stands together.

/** Kinds of transfers whose reference is a seat of a match; a settlement's is a round. */
const OF_SEATS = new Set(["stake_open", "stake_topup", "stake_close"]);

/**
 * Entries, newest first, as transfers: `{id, kind, reference, atMs, lines, isMoved}`. A transfer of several entries of this person
 * (from his wallet to his stake) is one; `isMoved`: it only went from one of his accounts to another.
 */
export function transfersOf(entries) {
  const transfers = [];
  for (const entry of entries) {
    const last = transfers.at(-1);
    if (last?.id === entry.transfer_id) last.lines.push(entry);
    else transfers.push({ id: entry.transfer_id, kind: entry.kind, reference: entry.reference, atMs: entry.at_ms, lines: [entry] });
  }
  for (const one of transfers) one.isMoved = OF_SEATS.has(one.kind);
  return transfers;
}

/** What a transfer's reference is: `{round}`, `{match}`, or `{}`. */
export function referenceOf({ kind, reference }) {
  if (kind === "settlement" || kind === "fee") return reference.includes("/") ? { round: reference } : {};
  if (OF_SEATS.has(kind)) return reference.includes("/") ? { match: matchOf(reference) } : {};
  return {};
}

/** The match of `<match>/<number>`. */
export const matchOf = (id) => id.slice(0, id.lastIndexOf("/"));

/** The number of a round: what stands behind its match. */
export const roundNoOf = (id) => Number(id.slice(id.lastIndexOf("/") + 1));

/** Newest entries before those known; if they do not meet, the newest alone: nothing may be missing between. */
export function joined(newest, known) {
  const idOf = (entry) => `${entry.transfer_id} ${entry.account} ${entry.currency} ${entry.amount}`;
  const at = new Set(newest.map(idOf));
  const from = known.findIndex((entry) => at.has(idOf(entry)));
  if (from < 0) return null;
  return [...newest, ...known.filter((entry) => !at.has(idOf(entry)))];
}

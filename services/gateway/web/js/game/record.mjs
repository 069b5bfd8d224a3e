// The record of a round as text (docs/record-format.md): its parts, for reading and for the fair-deal check.

/** `{head: Map, actions: [{seat, action, atMs, cause}], result}`; throws on what is no record. */
export function parseRecord(text) {
  const parts = String(text).split("\n\n");
  if (parts.length < 3) throw new Error("not a record");
  const head = new Map();
  for (const line of parts[0].split("\n")) {
    const cut = line.indexOf(": ");
    if (cut < 1) throw new Error("not a record");
    head.set(line.slice(0, cut), line.slice(cut + 2));
  }
  const actions = parts[1].split("\n").filter(Boolean).map(parseAction);
  const last = parts[parts.length - 1];
  if (!last.startsWith("Result: ")) throw new Error("not a record");
  return { head, actions, result: JSON.parse(last.slice("Result: ".length)) };
}

function parseAction(line) {
  const [said, timing = ""] = line.split(" @");
  const [seat, ...words] = said.split(" ");
  const [atMs, cause = ""] = timing.split(" ");
  return { seat: Number(seat), action: words.join(" "), atMs: Number(atMs), cause };
}

/** A file name for a record. */
export const recordFileName = (roundId) => `paiju-${roundId.replace(/[^A-Za-z0-9_-]+/g, "-")}.txt`;

// How long to wait before trying again: doubling, bounded, with jitter so that a crowd does not come back at once.

const FIRST_MS = 300;
const MOST_MS = 10_000;

/** The wait before try number `attempt` (from 0); `chance` in [0, 1). */
export function waitMs(attempt, chance = Math.random()) {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(ceiling / 2 + (ceiling / 2) * chance);
}

/** What a `Goodbye.reason` asks for: `{again, afterMs, signIn}`. `again: false` waits for the person. */
export function afterGoodbye(reason) {
  switch (reason) {
    case "TOKEN_EXPIRED":
      return { again: true, afterMs: 0, signIn: true };
    case "SESSION_REVOKED":
      return { again: false, afterMs: 0, signIn: true };
    case "REPLACED":
      return { again: false, afterMs: 0, signIn: false };
    case "TOO_MANY_REQUESTS":
      return { again: true, afterMs: 5_000, signIn: false };
    case "BAD_MESSAGE":
    case "MESSAGE_TOO_LARGE":
      return { again: true, afterMs: 2_000, signIn: false };
    default:
      return { again: true, afterMs: 0, signIn: false };
  }
}

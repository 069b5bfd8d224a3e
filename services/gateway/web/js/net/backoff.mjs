// How long to wait before trying again: doubling, bounded, with jitter so that a crowd does not come back at once.

const FIRST_MS = 300;
const MOST_MS = 10_000;

/** The wait before try number `attempt` (from 0); `chance` in [0, 1). */
export function waitMs(attempt, chance = Math.random()) {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(ceiling / 2 + (ceiling / 2) * chance);
}

/**
 * What a `Goodbye.reason` asks for: `{again, afterMs, tokens}`. `again: false` waits for the person; `tokens`: `good`, `old` (the
 * access token is, the refresh token may be good), `gone`.
 */
export function afterGoodbye(reason) {
  switch (reason) {
    case "TOKEN_EXPIRED":
      return { again: true, afterMs: 0, tokens: "old" };
    case "SESSION_REVOKED":
      return { again: false, afterMs: 0, tokens: "gone" };
    case "REPLACED":
      return { again: false, afterMs: 0, tokens: "good" };
    case "TOO_MANY_REQUESTS":
      return { again: true, afterMs: 5_000, tokens: "good" };
    case "BAD_MESSAGE":
    case "MESSAGE_TOO_LARGE":
      return { again: true, afterMs: 2_000, tokens: "good" };
    default:
      return { again: true, afterMs: 0, tokens: "good" };
  }
}

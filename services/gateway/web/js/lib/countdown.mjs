// Deadlines by the server's clock.

/** Knows how far the server's clock is from ours. */
export class ServerClock {
  constructor(now = Date.now) {
    this.own = now;
    this.offset = 0;
    this.known = false;
  }

  /** Hear a difference (server minus own); small differences are network noise and are averaged away. */
  hear(offset) {
    this.offset = this.known && Math.abs(offset - this.offset) < 2_000 ? this.offset * 0.7 + offset * 0.3 : offset;
    this.known = true;
  }

  now() {
    return this.own() + this.offset;
  }

  /** Whole seconds until a deadline, rounded up, never below 0; null for no deadline. */
  secondsUntil(deadlineMs) {
    return deadlineMs ? Math.max(0, Math.ceil((deadlineMs - this.now()) / 1000)) : null;
  }

  /** How much of a span is left, from 1 to 0. */
  shareLeft(deadlineMs, spanMs) {
    if (!deadlineMs || !spanMs) return 0;
    return Math.min(1, Math.max(0, (deadlineMs - this.now()) / spanMs));
  }
}

// Clocks on the page: elements with `data-deadline` are kept up to date without drawing anything else again.
import { h } from "../lib/vdom.mjs";

const TICK_MS = 200;
const SHORT_S = 5;

let clock = null;

/**
 * Seconds until a deadline. `spanMs` (how long the whole wait is) fills `--left` from 1 to 0. The last `bankMs` before it are a time
 * bank: until it runs, the seconds until then are shown.
 */
export function clockFace(deadlineMs, { name = "seconds", spanMs = 0, bankMs = 0 } = {}) {
  return h(`span.${name}`, {
    raw: true,
    "data-deadline": deadlineMs,
    "data-span": spanMs || null,
    "data-bank": bankMs || null,
    role: "timer",
    "aria-live": "off",
    oncreate: tick,
  });
}

/** Start updating by the server's clock. */
export function startTicker(serverClock) {
  clock = serverClock;
  setInterval(() => document.querySelectorAll("[data-deadline]").forEach(tick), TICK_MS);
}

function tick(node) {
  if (!clock) return;
  const until = Number(node.dataset.deadline);
  const bankFrom = until - Number(node.dataset.bank ?? 0);
  const isBank = bankFrom < until && clock.now() >= bankFrom;
  const deadline = isBank ? until : bankFrom;
  node.classList.toggle("is-bank", isBank);
  const seconds = clock.secondsUntil(deadline);
  const words = seconds === null ? "" : String(seconds);
  if (node.textContent !== words) node.textContent = words;
  if (node.dataset.span) node.style.setProperty("--left", clock.shareLeft(deadline, Number(node.dataset.span)).toFixed(3));
  node.classList.toggle("is-short", seconds !== null && seconds <= SHORT_S);
}

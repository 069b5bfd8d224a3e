// Clocks on the page: elements with `data-deadline` are kept up to date without drawing anything else again.

const TICK_MS = 200;

/** Start updating; `state()` gives the clock. */
export function startTicker(state) {
  const tick = () => {
    const { clock } = state();
    for (const node of document.querySelectorAll("[data-deadline]")) {
      const deadline = Number(node.dataset.deadline);
      const seconds = clock.secondsUntil(deadline);
      const words = seconds === null ? "" : String(seconds);
      const face = node.querySelector(".seconds") ?? node;
      if (face.textContent !== words) face.textContent = words;
      if (node.dataset.span) {
        node.style.setProperty("--left", clock.shareLeft(deadline, Number(node.dataset.span)).toFixed(3));
      }
      node.classList.toggle("is-short", seconds !== null && seconds <= 5);
    }
  };
  tick();
  setInterval(tick, TICK_MS);
}

// One place for what the page shows; views are drawn again after every change, once per animation frame.

/** A store that calls `draw` soon after `change()`. */
export class Store {
  constructor(state, draw, schedule = soon) {
    Object.assign(this, { state, draw, schedule });
    this.due = false;
  }

  /** Change the state (optionally by a function of it) and draw. */
  change(work) {
    if (work) work(this.state);
    if (this.due) return;
    this.due = true;
    this.schedule(() => {
      this.due = false;
      this.draw(this.state);
    });
  }
}

/** At the next animation frame, or after a moment in a hidden tab where none come. */
function soon(work) {
  if (document.hidden) setTimeout(work, 30);
  else requestAnimationFrame(work);
}

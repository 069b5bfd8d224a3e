// The keyboard: escape goes back, a result is left with enter; all else belongs to the game on the table.

/** Answer a key. */
export function onKey(event, controls) {
  const { state } = controls;
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target?.tagName ?? "");
  if (state.replay && !state.dialog) {
    if (typing) seekKey(event, controls.replay);
    else replayKey(event, controls.replay);
    return;
  }
  if (event.key === "Escape" && (state.dialog || state.chat.open)) {
    if (state.dialog) controls.closeDialog();
    else controls.chat.toggle(false);
    return;
  }
  if (state.page) {
    if (event.key === "Escape" && !typing) controls.router.home();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || state.dialog || state.chat.open || !state.table) return;
  const isCovered = state.ui.resultOpen || state.ui.kept;
  if (!isCovered && state.table.face.onKey(event, controls)) event.preventDefault();
  else if ((event.key === "Enter" || event.key === " ") && event.target?.tagName !== "BUTTON") {
    if (state.ui.kept) controls.play.goOn();
    else if (state.ui.resultOpen && state.table.roundEnd && !state.table.matchEnd) controls.play.ready();
  }
}

const REPLAY_KEYS = {
  ArrowLeft: (replay) => replay.step(-1),
  ArrowRight: (replay) => replay.step(1),
  ArrowUp: (replay) => replay.toDecision(-1),
  ArrowDown: (replay) => replay.toDecision(1),
  Home: (replay) => replay.seek(0),
  End: (replay) => replay.seek(replay.last),
  s: (replay) => replay.turn(),
  a: (replay) => replay.above(),
  l: (replay) => replay.replay.round.answers.length && replay.panel("lesson"),
  Escape: (replay) => (replay.replay.panel ? replay.panel(replay.replay.panel) : replay.close()),
};

function replayKey(event, replay) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isButton = event.target?.tagName === "BUTTON";
  const work = event.key === " " && !isButton ? () => replay.run() : REPLAY_KEYS[event.key];
  if (!work) return;
  event.preventDefault();
  work(replay);
}

/** On the seek bar the browser moves it; the space bar plays, and escape leaves. */
function seekKey(event, replay) {
  if (event.target.type === "range" && event.key === " ") {
    event.preventDefault();
    replay.run();
  } else if (event.key === "Escape") event.target.blur();
}

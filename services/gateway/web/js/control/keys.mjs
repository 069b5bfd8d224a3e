// The keyboard: escape goes back, a result is left with enter; all else belongs to the game on the table.

/** Answer a key. */
export function onKey(event, controls) {
  const { state } = controls;
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target?.tagName ?? "");
  if (state.replay && !state.dialog) {
    replayKey(event, controls.replay);
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

function replayKey(event, replay) {
  if (event.key === "ArrowLeft") replay.step(-1);
  else if (event.key === "ArrowRight") replay.step(1);
  else if (event.key === " " && event.target?.tagName !== "BUTTON") replay.run();
  else if (event.key === "Escape") replay.close();
}

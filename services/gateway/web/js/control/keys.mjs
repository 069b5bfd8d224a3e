// The keyboard: numbers pick what is on offer, arrows walk the hand, enter and space play, escape goes back.

/** Claims in the order of their keys, as the buttons stand. */
export function claimKeys(actions) {
  const keys = [];
  if (actions.hu) keys.push("hu");
  if (actions.peng) keys.push("peng");
  if (actions.chis.length) keys.push("chi");
  if (actions.pass) keys.push("pass");
  return keys;
}

/** Answer a key. */
export function onKey(event, controls) {
  const { state } = controls;
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target?.tagName ?? "");
  if (state.replay && !state.dialog) {
    replayKey(event, controls.replay);
    return;
  }
  if (event.key === "Escape") {
    if (state.dialog) controls.closeDialog();
    else if (state.chat.open) controls.chat.toggle(false);
    else if (state.ui.chiOpen) controls.change(() => (state.ui.chiOpen = false));
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || state.dialog || state.chat.open || !state.table) return;
  if (/^[1-9]$/.test(event.key)) number(Number(event.key) - 1, controls, event);
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    step(event.key === "ArrowRight" ? 1 : -1);
    event.preventDefault();
  } else if ((event.key === "Enter" || event.key === " ") && event.target?.tagName !== "BUTTON") {
    const card = state.ui.selected?.card;
    if (card) controls.play.discard(card);
    else if (state.ui.resultOpen && state.table.roundEnd && !state.table.matchEnd) controls.play.ready();
  }
}

function replayKey(event, replay) {
  if (event.key === "ArrowLeft") replay.step(-1);
  else if (event.key === "ArrowRight") replay.step(1);
  else if (event.key === " " && event.target?.tagName !== "BUTTON") replay.run();
  else if (event.key === "Escape") replay.close();
}

function number(at, controls, event) {
  const { state, play } = controls;
  const { actions } = play;
  if (state.ui.chiOpen) {
    if (actions.chis[at]) play.act(actions.chis[at].action);
  } else {
    const key = claimKeys(actions)[at];
    if (key === "chi") play.eat();
    else if (key) play.act(key);
  }
  event.preventDefault();
}

function step(by) {
  const cards = [...document.querySelectorAll(".rack .hand-card:not([disabled])")];
  if (!cards.length) return;
  const at = cards.indexOf(document.activeElement);
  cards[(at + by + cards.length) % cards.length].focus();
}

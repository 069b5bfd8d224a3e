// The keyboard of 斗地主: ranks choose cards, H hints, Enter plays, Space passes; while bidding numbers are the buttons.
import { isRank } from "./cards.mjs";
import { answersOf } from "./buttons.mjs";
import { asksForCards, clear, hint, pass, playChosen, toggleRank } from "./moves.mjs";

const OTHER_NAMES = { 0: "T", 1: "T", X: "R", D: "R", S: "B" };

/** Answer a key; returns whether it meant something here. */
export function onKey(event, controls) {
  const { table } = controls.state;
  const { asked } = controls.play;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  if (asked.length && !asksForCards(asked)) {
    const answer = answersOf(asked)[Number(key) - 1];
    if (answer) controls.play.act(answer);
    return Boolean(answer);
  }
  // A card in focus is chosen with Space, a button pressed with Enter or Space: both by the browser.
  const focused = event.target?.closest?.("button:focus-visible");
  const onCard = focused?.matches(".in-hand");
  if (key === "ArrowLeft" || key === "ArrowRight") step(key === "ArrowRight" ? 1 : -1);
  else if (key === "Enter" && (!focused || onCard)) playChosen(controls, table);
  else if (key === " " && !focused) pass(controls);
  else if (key === "H" || key === "?") hint(controls, table);
  else if (key === "Backspace" || key === "Escape") clear(controls);
  else {
    const rank = OTHER_NAMES[key] ?? key;
    return isRank(rank) && toggleRank(controls, table, rank);
  }
  return true;
}

function step(by) {
  const cards = [...document.querySelectorAll(".poker-fan .in-hand")];
  if (!cards.length) return;
  const at = cards.indexOf(document.activeElement);
  cards[(at + by + cards.length) % cards.length].focus();
}

// The keyboard of 跑胡子: numbers pick a claim, arrows walk the hand, enter and space play.
import { claimKeys, sortActions } from "./actions.mjs";
import { eat, playCard } from "./moves.mjs";

/** Answer a key; returns whether it meant something here. */
export function onKey(event, controls) {
  const { ui } = controls.play;
  if (event.key === "Escape" && ui.chiOpen) controls.play.setUi({ chiOpen: false });
  else if (/^[1-9]$/.test(event.key)) number(Number(event.key) - 1, controls);
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") step(event.key === "ArrowRight" ? 1 : -1);
  else if ((event.key === "Enter" || event.key === " ") && event.target?.tagName !== "BUTTON" && ui.selected) {
    playCard(controls, ui.selected.card);
  } else return false;
  return true;
}

function number(at, controls) {
  const actions = sortActions(controls.play.asked);
  if (controls.play.ui.chiOpen) {
    if (actions.chis[at]) controls.play.act(actions.chis[at].action);
    return;
  }
  const key = claimKeys(actions)[at];
  if (key === "chi") eat(controls);
  else if (key) controls.play.act(key);
}

function step(by) {
  const cards = [...document.querySelectorAll(".rack .hand-card:not([disabled])")];
  if (!cards.length) return;
  const at = cards.indexOf(document.activeElement);
  cards[(at + by + cards.length) % cards.length].focus();
}

// The keyboard: digits raise a tile, Enter lets it go, letters claim, arrows walk the hand.
import { sortActions } from "./actions.mjs";
import { standing } from "./handorder.mjs";
import { chosenLiang, claim, claimsOf, kouChoices, letGo } from "./moves.mjs";
import { KEYS } from "./rack.mjs";

/** Letters of the claims. */
export const LETTERS = { h: "hu", l: "liang", g: "gang", p: "peng", c: "chi", n: "pass" };

/** The letter of a claim, for its button. */
export const letterOf = (key) => Object.keys(LETTERS).find((letter) => LETTERS[letter] === key);

/** Answer a key; returns whether it meant something here. */
export function onKey(event, controls) {
  const actions = sortActions(controls.play.asked);
  const { ui } = controls.play;
  const letter = event.key.toLowerCase();
  if (event.key === "Escape" && ui.chooser) controls.play.setUi({ chooser: "", kou: [] });
  else if (KEYS.includes(event.key)) digit(KEYS.indexOf(event.key), actions, controls);
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") walk(event.key === "ArrowRight" ? 1 : -1);
  else if (letter in LETTERS && claimsOf(actions).includes(LETTERS[letter])) claim(controls, LETTERS[letter]);
  else if (event.key === "Enter" && ui.chooser === "liang" && chosenLiang(actions, ui)) controls.play.act(chosenLiang(actions, ui).action);
  else if ((event.key === "Enter" || event.key === " ") && event.target?.tagName !== "BUTTON" && ui.selected) letGo(controls, ui.selected.tile);
  else return false;
  return true;
}

/** A digit: a way of the open choice, else a tile of the hand from the left. */
function digit(at, actions, controls) {
  const { ui } = controls.play;
  if (actions.piaos.length) {
    const way = actions.piaos.find((one) => one.points === (at + 1) % 10);
    if (way) controls.play.act(way.action);
    return;
  }
  const ways = { chi: actions.chis, gang: actions.kongs }[ui.chooser];
  if (ways) {
    if (ways[at]) controls.play.act(ways[at].action);
    return;
  }
  const { round } = controls.state.table;
  const stand = round.seat < 0 ? null : standing(round.hand, round.drawn)[at];
  if (!stand) return;
  const kou = ui.chooser === "liang" && !actions.liangs.has(stand.tile) && kouChoices(actions, ui).find((one) => one.tile === stand.tile && one.isPossible);
  if (kou) controls.play.setUi({ kou: kou.next });
  else if (ui.chooser !== "liang" || actions.liangs.has(stand.tile)) {
    controls.play.setUi({ selected: { id: stand.id, tile: stand.tile }, kou: [] });
    document.querySelector(`.rack [data-id="${stand.id}"]`)?.focus({ preventScroll: true });
  }
}

function walk(by) {
  const tiles = [...document.querySelectorAll(".rack .hand-tile")];
  if (!tiles.length) return;
  const at = tiles.indexOf(document.activeElement);
  tiles[at < 0 ? (by > 0 ? 0 : tiles.length - 1) : (at + by + tiles.length) % tiles.length].focus();
}

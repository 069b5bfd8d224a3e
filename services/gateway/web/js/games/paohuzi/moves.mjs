// What a person does with the cards of 跑胡子: touch, play, eat.
import { sortActions } from "./actions.mjs";

/** A card of the own hand was touched: first selects it, then plays it. */
export function touchCard(controls, id, card) {
  const { discards } = sortActions(controls.play.asked);
  controls.sound.play("tap");
  const { selected } = controls.play.ui;
  if (selected?.id === id && discards.has(card)) controls.play.act(discards.get(card));
  else controls.play.setUi({ selected: selected?.id === id ? null : { id, card } });
}

/** Play a card, if it may be played now. */
export function playCard(controls, card) {
  const action = sortActions(controls.play.asked).discards.get(card);
  if (action) controls.play.act(action);
}

/** 吃: the only way at once, else the ways to choose from. */
export function eat(controls) {
  const { chis } = sortActions(controls.play.asked);
  if (chis.length === 1) controls.play.act(chis[0].action);
  else controls.play.setUi({ chiOpen: !controls.play.ui.chiOpen });
}

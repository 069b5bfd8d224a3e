// What a person does with cards of 斗地主: choose, play, pass, take a hint.
import { rankOf, wordOfCards } from "./cards.mjs";
import { hintsOf } from "./hints.mjs";
import { judge } from "./plays.mjs";
import { ANY_PLAY } from "./round.mjs";

/** The cards that are chosen and still in hand. */
export function chosenCards(table, ui) {
  const { hand } = table.round;
  return hand.filter((card) => ui.chosen.includes(card));
}

/** Whether the open question asks for cards. */
export const asksForCards = (asked) => asked.includes(ANY_PLAY) || asked.includes("pass");

/** What the chosen cards can be now: `{ways, reason}` (plays.mjs). With a question that only a pass answers, nothing. */
export function judgeChosen(table, ui, asked) {
  const cards = chosenCards(table, ui);
  const { over, options } = table.round;
  if (!asked.includes(ANY_PLAY) && cards.length) return { ways: [], reason: "cannot" };
  return judge(cards, over, options);
}

let known = { id: "", hints: [] };

/** The hints for the open question, worked out once. */
export function hints(table) {
  const { round } = table;
  const id = `${table.roundId}/${round.steps}/${wordOfCards(round.hand)}`;
  if (known.id !== id) known = { id, hints: hintsOf(round.hand, round.over, round.options) };
  return known.hints;
}

/** Choose (or put back) cards. */
export function toggle(controls, cards) {
  const { chosen } = controls.play.ui;
  const left = chosen.filter((card) => !cards.includes(card));
  controls.sound.play("tap");
  controls.play.setUi({ chosen: [...left, ...cards.filter((card) => !chosen.includes(card))], refused: false, hint: -1 });
}

/** Choose nothing. */
export const clear = (controls) => controls.play.setUi({ chosen: [], refused: false, hint: -1 });

/** One more card of a rank is chosen; when all are, none. */
export function toggleRank(controls, table, rank) {
  const mine = table.round.hand.filter((card) => rankOf(card) === rank);
  const { chosen } = controls.play.ui;
  const free = mine.filter((card) => !chosen.includes(card));
  if (mine.length) toggle(controls, free.length ? [free.at(-1)] : mine);
  return mine.length > 0;
}

/** Choose the cards of the next hint; after the last one comes the first. */
export function hint(controls, table) {
  if (!controls.play.asked.includes(ANY_PLAY)) return;
  const all = hints(table);
  const at = ((controls.play.ui.hint ?? -1) + 1) % all.length;
  const { hand } = table.round;
  const wanted = [...all[at].word];
  const chosen = [];
  for (const rank of wanted) chosen.push(hand.find((card) => rankOf(card) === rank && !chosen.includes(card)));
  controls.sound.play("tap");
  controls.play.setUi({ chosen, refused: false, hint: at });
}

/** Play the chosen cards; what is no legal play is refused with its reason. */
export function playChosen(controls, table, way = 0) {
  const { ways } = judgeChosen(table, controls.play.ui, controls.play.asked);
  if (!ways[way]) {
    controls.play.setUi({ refused: true });
    return;
  }
  table.round.wish(chosenCards(table, controls.play.ui));
  controls.play.act(ways[way].action);
}

/** 不出. */
export function pass(controls) {
  if (controls.play.asked.includes("pass")) controls.play.act("pass");
}

/** Whether a table takes an answer: one of the question's own, or for `play*` what the hand can play. */
export function isLegal(table, action) {
  const { actions } = table.question;
  if (actions.includes(action)) return true;
  if (!action.startsWith("play ") || !actions.includes(ANY_PLAY)) return false;
  const { over, options, hand } = table.round;
  const [, word] = action.split(" ");
  const has = (rank) => hand.filter((card) => rankOf(card) === rank).length;
  return [...new Set(word)].every((rank) => [...word].filter((one) => one === rank).length <= has(rank)) && judge([...word], over, options).ways.some((way) => way.action === action);
}

// Legal answers of a question, sorted for buttons.
import { parseCards } from "./cards.mjs";

/** `{hu, peng, pass, chis: [{action, melds}], discards: Map(card → action), isClaim}` of a list of action texts. */
export function sortActions(actions) {
  const sorted = { hu: false, peng: false, pass: false, chis: [], discards: new Map(), isClaim: false };
  for (const action of actions ?? []) {
    const [verb, ...words] = action.split(" ");
    if (verb === "hu" || verb === "peng" || verb === "pass") sorted[verb] = true;
    else if (verb === "chi") sorted.chis.push({ action, melds: words.map(parseCards) });
    else if (verb === "discard") sorted.discards.set(words[0], action);
  }
  sorted.isClaim = sorted.discards.size === 0 && (sorted.pass || sorted.hu || sorted.peng || sorted.chis.length > 0);
  return sorted;
}

/** Claims in the order of their keys, as the buttons stand. */
export function claimKeys(actions) {
  const keys = [];
  if (actions.hu) keys.push("hu");
  if (actions.peng) keys.push("peng");
  if (actions.chis.length) keys.push("chi");
  if (actions.pass) keys.push("pass");
  return keys;
}

// Legal answers of a question, sorted for buttons.
import { parseTiles } from "./tiles.mjs";

/**
 * `{hu, pass, peng, chis, kongs, discards, liangs, piaos, isClaim}` of a list of action texts: `chis` are
 * `[{action, tiles}]`, `kongs` `[{action, kind, tile}]`, `discards` tile → action, `liangs` discard → `[{action, kou}]`.
 */
export function sortActions(actions) {
  const sorted = { hu: false, pass: false, peng: false, chis: [], kongs: [], discards: new Map(), liangs: new Map(), piaos: [], isClaim: false };
  for (const action of actions ?? []) {
    const [verb, ...words] = action.split(" ");
    if (verb === "hu" || verb === "pass" || verb === "peng") sorted[verb] = true;
    else if (verb === "chi") sorted.chis.push({ action, tiles: parseTiles(words[0]) });
    else if (verb === "gang") sorted.kongs.push({ action, kind: words[0], tile: words[1] });
    else if (verb === "discard") sorted.discards.set(words[0], action);
    else if (verb === "piao") sorted.piaos.push({ action, points: Number(words[0]) });
    else if (verb === "liang") {
      const [tile, ...kou] = words;
      sorted.liangs.set(tile, [...(sorted.liangs.get(tile) ?? []), { action, kou }]);
    }
  }
  sorted.isClaim = sorted.discards.size === 0 && sorted.pass;
  return sorted;
}

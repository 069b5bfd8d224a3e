// Every game the page can play, by the name that tables and records give it.
import { paohuzi } from "./paohuzi/game.mjs";
import { kawuxing } from "./kawuxing/game.mjs";
import { doudizhu } from "./doudizhu/game.mjs";
import { noGame } from "./nogame.mjs";
import { qinghunpeng } from "./qinghunpeng/game.mjs";

const GAMES = new Map([paohuzi, doudizhu, kawuxing, qinghunpeng].map((game) => [game.name, game]));

/** The face of a game; a game this page is too old for (or not told yet) shows an empty table. */
export const gameOf = (name) => GAMES.get(name) ?? noGame;

/** Whether the page can play a game. */
export const canPlay = (name) => GAMES.has(name);

/** The switches that games have in the settings, each once. */
export function allSettings() {
  const found = new Map([...GAMES.values()].flatMap((game) => game.settings ?? []).map((one) => [one.name, one]));
  return [...found.values()];
}

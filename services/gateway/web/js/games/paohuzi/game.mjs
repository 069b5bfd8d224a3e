// 跑胡子, as the frame knows it (README: the face of a game).
import { buttons, chiChooser } from "./buttons.mjs";
import { badge, field, middle, ownFacts, ownField } from "./field.mjs";
import { onKey } from "./keys.mjs";
import { rack } from "./rack.mjs";
import { cardRow, resultBody, resultTitle } from "./result.mjs";
import { Round } from "./round.mjs";
import { actionWords, emblem, facts, rules } from "./rules.mjs";

const LOUD = new Set(["peng", "chi", "wei", "chouwei", "pao", "ti", "hu"]);
const QUIET = { discard: "card", draw: "draw" };

/** What is said and heard when something happens. */
function hears({ kind }) {
  if (LOUD.has(kind)) return { words: `say.${kind}`, tone: kind, sound: kind === "chouwei" ? "wei" : kind };
  return kind in QUIET ? { sound: QUIET[kind] } : null;
}

/** The face of 跑胡子. */
export const paohuzi = {
  name: "paohuzi",
  newRound: () => new Round(),
  newUi: () => ({ selected: null, chiOpen: false }),
  isClaim: (actions) => !actions.some((action) => action.startsWith("discard")),
  hears,
  onKey,
  orders: ["melds", "ranks"],
  badge,
  field,
  ownField,
  ownFacts,
  middle,
  rack,
  buttons,
  over: chiChooser,
  resultTitle,
  resultBody,
  cardRow,
  rules,
  facts,
  actionWords,
  emblem,
  statistics: (one) => [["stats.self", one.self_draws], ["stats.xi", one.best_huxi]],
};

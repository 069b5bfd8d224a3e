// 斗地主, as the frame knows it (README: the face of a game).
import { buttons } from "./buttons.mjs";
import { ALARM_CARDS, badge, field, mark, middle, ownFacts, ownField } from "./field.mjs";
import { rack } from "./hand.mjs";
import { onKey } from "./keys.mjs";
import { clear, isLegal } from "./moves.mjs";
import { cardRow, resultBody, resultTitle } from "./result.mjs";
import { Round } from "./round.mjs";
import { actionWords, emblem, facts, rules } from "./rules.mjs";

const newUi = () => ({ chosen: [], painted: [], hint: -1, refused: false });

/** Types that are called out when they are played. */
const LOUD = new Set(["solo_chain", "pair_chain", "trio_chain", "plane_solo", "plane_pair", "four_two_solo", "four_two_pair", "bomb", "rocket"]);

/** What is said and heard when something happens. */
function hears({ kind, words, reading, left }, table) {
  if (kind === "landlord") return { words: "doudizhu.say.landlord", tone: "landlord", sound: "landlord" };
  if (kind === "call" || kind === "rob" || (kind === "bid" && words[0] !== "0")) return { sound: "chi" };
  if (kind === "doubled") return { sound: words[0] === "2" ? "chi" : "card" };
  if (kind === "pass") return { sound: "pass" };
  if (kind === "end") {
    const { spring } = table.round;
    return spring ? { words: `doudizhu.say.${spring}`, tone: "spring", sound: "rocket" } : null;
  }
  if (kind !== "play") return null;
  if (LOUD.has(reading.type)) {
    const sound = reading.type === "bomb" || reading.type === "rocket" ? reading.type : reading.type.startsWith("plane") ? "ti" : "peng";
    return { words: `doudizhu.say.${reading.type}`, tone: reading.type, sound };
  }
  if (left > 0 && left <= ALARM_CARDS) return { words: "doudizhu.say.left", values: { count: left }, tone: "left", sound: "alarm" };
  return { sound: "card" };
}

/** The face of 斗地主. */
export const doudizhu = {
  name: "doudizhu",
  newRound: () => new Round(),
  newUi,
  /** Cards chosen before one's turn stay chosen. */
  onAsked: (ui, table) => ({ ...newUi(), chosen: (ui.chosen ?? []).filter((card) => table.round.hand.includes(card)) }),
  isClaim: (actions) => actions.some((action) => action.startsWith("double")),
  isLegal,
  hears,
  /** A touch of the felt puts the chosen cards back. */
  onFelt: (controls) => clear(controls),
  onKey,
  keys: "doudizhu.keys",
  orders: ["ranks", "melds"],
  mark,
  badge: (state, seat) => badge(state, seat),
  field,
  ownField,
  ownFacts,
  middle,
  rack,
  buttons,
  over: () => null,
  resultTitle,
  resultBody,
  cardRow,
  rules,
  facts,
  actionWords,
  emblem,
  statistics: () => [],
};


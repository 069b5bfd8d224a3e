// A mahjong game, as the frame knows it (README: the face of a game), made of what sets it apart from the others.
import { currentLanguage, t } from "../../lib/i18n.mjs";
import { bakeFaces, loadFaces, showIndexes } from "./art/sheet.mjs";
import { buttons } from "./buttons.mjs";
import { chooser } from "./choosers.mjs";
import { badge, field, middle, ownFacts, ownField } from "./field.mjs";
import { onKey } from "./keys.mjs";
import { newUi, onAsked } from "./moves.mjs";
import { backs, rack } from "./rack.mjs";
import { cardRow, resultBody, resultTitle } from "./result.mjs";
import { isTile, parseTiles, tileName } from "./tiles.mjs";
import { tile } from "./tileview.mjs";

const LOUD = { peng: "peng", chi: "chi", gang: "pao", hu: "hu", liang: "ti", flower: "wei" };
const QUIET = { discard: "card", draw: "draw" };
/** Width of the tiles that decorate the lobby. */
const EMBLEM_TILE = "clamp(40px, 6vw, 84px)";
const SELF_DRAWN = new Set(["zimo", "gangkai"]);

const KONGS = new Set(["暗杠", "补杠", "直杠"]);

/** What is said and heard when something happens. */
function hears({ kind, words }) {
  if (kind === "pay") return KONGS.has(words[2]) ? { words: "mahjong.points", values: { points: `−${words[1]}` }, tone: "pay" } : null;
  if (kind === "hu") return { words: SELF_DRAWN.has(words[0]) ? "mahjong.say.zimo" : "mahjong.say.hu", tone: "hu", sound: "hu" };
  if (kind in LOUD) return { words: `mahjong.say.${kind}`, tone: kind, sound: LOUD[kind] };
  return kind in QUIET ? { sound: QUIET[kind] } : null;
}

/** An answer in words. */
function actionWords(action) {
  const [verb, ...words] = action.split(" ");
  const name = verb === "gang" ? t(`mahjong.meld.${words.shift()}`) : t(`mahjong.act.${verb}`);
  const rest = words.map((word) => (isTile(word) ? tileName(word, currentLanguage()) : parseTiles(word).map((one) => tileName(one, currentLanguage())).join("") || word));
  return [name, ...rest].join(" ");
}

/** What a game may leave out. */
const DEFAULTS = {
  isRevealed: () => false,
  isDangerous: () => false,
  isHiddenTriplet: () => false,
  banReason: () => "",
  marks: () => [],
  middleFacts: () => [],
  openWaits: () => [],
  resultFacts: () => null,
  /** Everything of the hand of a seat that lies open before others. */
  opened: (round, at) => (round.end && round.hands ? round.hands[at] : []),
  /** The hand of the seat a spectator sits behind. */
  openTiles: (round, at) => (round.end && round.hands ? round.hands[at] : backs(round.counts[at])),
};

/**
 * The face of a game.
 *
 * `spec` has `name`, `newRound()`, `waits(round, discard)`, `nameValue(name, value)`, `winSum(state, win, said)`, `rules`,
 * `facts`, `emblem` (tiles), and any of `DEFAULTS`.
 */
export function mahjongFace(spec) {
  const game = { ...DEFAULTS, ...spec };
  if (typeof document !== "undefined") loadFaces();
  return {
    name: game.name,
    opensHands: true,
    newRound: game.newRound,
    newUi,
    ripen: bakeFaces,
    onAsked,
    isClaim: (actions) => !actions.some((action) => action.startsWith("discard") || action.startsWith("piao")),
    hears,
    onKey,
    keys: "mahjong.keys",
    badge: (state, at) => badge(game, state, at),
    field: (state, at) => field(game, state, at),
    ownField: (state) => ownField(game, state),
    ownFacts: (state) => ownFacts(game, state),
    middle: (state, words) => middle(game, state, words),
    settings: [{ name: "tileIndex", words: "mahjong.settings.index" }],
    rack: (state, controls) => {
      showIndexes(state.settings.switches?.tileIndex === true);
      return rack(game, state, controls);
    },
    buttons: (state, controls) => buttons(game, state, controls),
    over: (state, controls) => chooser(game, state, controls),
    resultTitle: (state, result) => resultTitle(game, state, result),
    resultBody: (state, result) => resultBody(game, state, result),
    cardRow,
    rules: game.rules,
    facts: game.facts,
    actionWords,
    emblem: () => game.emblem.map((one) => tile(one, { key: one, style: { "--tw": EMBLEM_TILE } })),
    statistics: game.statistics ?? (() => []),
  };
}

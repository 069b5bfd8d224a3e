// 卡五星, as the frame knows it (README: the face of a game).
import { mahjongFace } from "../mahjong/face.mjs";
import { backs } from "../mahjong/rack.mjs";
import { t } from "../../lib/i18n.mjs";
import { resultFacts, winSum } from "./result.mjs";
import { KawuxingRound } from "./round.mjs";
import { facts, rules } from "./rules.mjs";
import { ownWaits } from "./waits.mjs";

/** Marks beside a name: 亮 and 漂. */
function marks(round, at) {
  const found = [];
  if (round.revealed?.[at]) found.push({ key: "liang", words: t("kawuxing.mark.liang"), label: t("kawuxing.mark.liang.words") });
  if (round.piao?.[at] > 0) found.push({ key: "piao", words: t("mahjong.piao.short", { points: round.piao[at] }), label: t("mahjong.piao.words", { points: round.piao[at] }) });
  return found;
}

function middleFacts(round) {
  const found = [];
  if (round.stake > round.options.base) found.push({ key: "stake", words: t("kawuxing.doubled", { stake: round.stake }) });
  return found;
}

function opened(round, at) {
  if (round.end && round.hands) return round.hands[at];
  const seen = round.revealed?.[at];
  return seen ? [...seen.tiles, ...backs(seen.hidden)] : [];
}

function banReason(round, tile) {
  if (round.revealed[round.seat]) return t("kawuxing.ban.revealed");
  return t(round.dangerous.has(tile) ? "kawuxing.ban.feeding" : "kawuxing.ban.other");
}

/** The face of 卡五星. */
export const kawuxing = mahjongFace({
  name: "kawuxing",
  newRound: () => new KawuxingRound(),
  waits: ownWaits,
  isRevealed: (round, at) => Boolean(round.revealed?.[at]),
  isDangerous: (round, tile) => !round.end && round.dangerous.has(tile),
  isHiddenTriplet: (round, tile) => round.kou.includes(tile),
  banReason,
  marks,
  middleFacts,
  opened,
  openTiles: (round, at) => {
    const open = opened(round, at);
    return [...open, ...backs((round.counts[at] ?? 0) - open.length)];
  },
  openWaits: (round, at) => (round.end ? [] : (round.revealed?.[at]?.waits ?? [])),
  nameValue: (name, value) => t("fan", { fan: value }),
  winSum,
  resultFacts,
  rules,
  facts,
  emblem: ["p5", "s5", "z5"],
  statistics: (one) => [["kawuxing.stats.self", one.self_draws]],
});

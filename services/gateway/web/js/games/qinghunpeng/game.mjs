// 清混碰, as the frame knows it (README: the face of a game).
import { t } from "../../lib/i18n.mjs";
import { mahjongFace } from "../mahjong/face.mjs";
import { resultFacts, winSum } from "./result.mjs";
import { QinghunpengRound } from "./round.mjs";
import { facts, rules } from "./rules.mjs";
import { ownWaits } from "./wins.mjs";

/** 花 exposed so far, beside the name. */
function marks(round, at) {
  const count = round.flowers?.[at]?.length ?? 0;
  return count ? [{ key: "flowers", words: t("qinghunpeng.mark.flowers", { count }), label: t("mahjong.flowers", { count }) }] : [];
}

function banReason(round, tile) {
  return t(tile[0] === "f" ? "qinghunpeng.ban.flower" : "qinghunpeng.ban.swap");
}

/** The face of 清混碰. */
export const qinghunpeng = mahjongFace({
  name: "qinghunpeng",
  newRound: () => new QinghunpengRound(),
  waits: ownWaits,
  banReason,
  marks,
  middleFacts: (round) => (round.times > 1 ? [{ key: "times", words: t("qinghunpeng.doubled") }] : []),
  nameValue: (name, value) => t("qinghunpeng.points", { points: value }),
  winSum,
  resultFacts,
  rules,
  facts,
  emblem: ["m1", "z5", "f5"],
  statistics: (one) => [["qinghunpeng.stats.self", one.self_draws]],
});

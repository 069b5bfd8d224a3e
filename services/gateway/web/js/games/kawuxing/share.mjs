// What one payer owes one winner of 卡五星, in parts (docs/games/kawuxing.md § Payments).

const SELF_DRAWN = new Set(["zimo", "gangkai"]);
const CLASSES = ["147", "258", "369"];

/** The factor of 亮倒 of winner and payer. */
function factorOf(round, win, payer) {
  const { options, revealed } = round;
  const isSelf = SELF_DRAWN.has(win.how);
  const [own, other] = [revealed[win.seat] !== null, revealed[payer] !== null];
  if (own && other) return options.duifan && (!isSelf || options.duifan_on_zimo) ? 4 : 2;
  if (own) return 2;
  if (!other) return 1;
  return options.reveal_doubles_loser === "all" || (options.reveal_doubles_loser === "discard_only" && !isSelf) ? 2 : 1;
}

const classOf = (tile) => (tile[0] === "z" ? "z" : CLASSES.find((one) => one.includes(tile[1])));

/** Whether a turned tile counts in 六马: one of 中发白, or of the class of the won tile. */
export const isHorse = (tile, won) => tile[0] === "z" || classOf(tile) === classOf(won);

/** The points of 买马. */
export function maPoints(options, ma, won) {
  if (!ma.length) return 0;
  if (options.mai_ma === "du") return ma[0][0] === "z" ? 10 : Number(ma[0][1]);
  return ma.filter((tile) => isHorse(tile, won)).length || 6;
}

/** `{points, factor, isCapped, extra: {ma, kan, piao}}`: `points` are what he pays. With 包胡 the giver pays for the third seat too. */
export function shareOf(round, win, payer, isBao) {
  const { options, stake, piao } = round;
  const { cap, reveal_outside_cap: outside } = options;
  const factor = isBao ? 2 : factorOf(round, win, payer);
  const capped = !cap ? win.fan * factor : outside ? Math.min(cap, win.fan) * factor : Math.min(cap, win.fan * factor);
  const payers = isBao ? [0, 1, 2].filter((at) => at !== win.seat) : [payer];
  const ma = maPoints(options, round.ma, win.tile);
  const kan = options.shukan ? win.kan : 0;
  const extra = {
    ma: ma * payers.length,
    kan: kan * payers.length,
    piao: payers.reduce((sum, at) => sum + Math.max(0, piao[win.seat]) + Math.max(0, piao[at]), 0),
  };
  const points = stake * (capped * payers.length + extra.ma + extra.kan + extra.piao);
  return { points, factor, isCapped: capped < win.fan * factor, extra };
}

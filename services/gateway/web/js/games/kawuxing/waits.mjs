// 听牌 in 卡五星: the tiles that complete a hand, and which of them are still to come.
import { completing, isSevenPairs, isStandard, leftOf, owned } from "../mahjong/shape.mjs";
import { without } from "../mahjong/tiles.mjs";

/** The waits of 13 tiles, melds counted as three (Rule 4). */
export function waitsOf(hand, melds) {
  const isWin = melds.length ? isStandard : (counts) => isStandard(counts) || isSevenPairs(counts);
  return completing(hand, isWin, owned(hand, melds));
}

/** Every tile the listener sees. */
export function seenTiles(round) {
  const open = round.revealed.flatMap((one, at) => (one && at !== round.seat ? one.tiles : []));
  const shown = round.shown && !round.end ? [round.shown.tile] : [];
  return [...round.hand, ...open, ...shown, ...round.rivers.flat(), ...round.melds.flat().flatMap((meld) => meld.tiles)];
}

/** The waits of the own hand, now or after a discard: `[{tile, left}]`. */
export function ownWaits(round, discard = "") {
  if (round.seat < 0 || !round.dealt) return [];
  const hand = discard ? without(round.hand, [discard]) : round.hand;
  if (hand.length % 3 !== 1) return [];
  const sees = seenTiles(round);
  return waitsOf(hand, round.melds[round.seat]).map((tile) => ({ tile, left: leftOf(tile, sees) }));
}

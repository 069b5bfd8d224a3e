// The own hand as it stands: sorted, the tile just drawn apart, every tile with a name of its own.
import { compareTiles, without } from "./tiles.mjs";

/** `[{id, tile, isDrawn}]` from left to right; an id stays with its tile while the hand around it changes. */
export function standing(hand, drawn) {
  const isApart = drawn !== "" && hand.includes(drawn);
  const rest = (isApart ? without(hand, [drawn]) : [...hand]).sort(compareTiles);
  const copies = new Map();
  const stands = rest.map((tile) => {
    const copy = copies.get(tile) ?? 0;
    copies.set(tile, copy + 1);
    return { id: `${tile}.${copy}`, tile, isDrawn: false };
  });
  return isApart ? [...stands, { id: `${drawn}.${copies.get(drawn) ?? 0}`, tile: drawn, isDrawn: true }] : stands;
}

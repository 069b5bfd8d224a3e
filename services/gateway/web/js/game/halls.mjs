// Which hall one may enter, and which one fits.

/** Refusals that the wallet decides: what the service said of them is older than the wallet (a new player's first gold comes a moment later). */
const OF_GOLD = new Set(["COINS_TOO_FEW", "COINS_TOO_MANY"]);

/** Why this hall is closed to somebody with so much gold: a reason of the list of reasons, "" if it is open. The service knows more than gold. */
export function whyClosed(hall, gold) {
  if (hall.refusal && (gold === undefined || !OF_GOLD.has(hall.refusal))) return hall.refusal;
  if (gold === undefined) return "";
  if (gold < hall.entry_min) return "COINS_TOO_FEW";
  return hall.entry_max > 0 && gold > hall.entry_max ? "COINS_TOO_MANY" : "";
}

/** The highest-staked hall that a wallet can bear easily: the last one whose entry is a third of it, else the first open one, else the first. */
export function bestHall(halls, gold = 0) {
  const open = halls.filter((hall) => !whyClosed(hall, gold));
  return open.filter((hall) => hall.entry_min * 3 <= gold).at(-1) ?? open[0] ?? halls[0];
}

/** The hall of the same game and rules that fits instead of a closed one; undefined: none does. */
export function fittingHall(halls, hall, gold) {
  if (hall.fitting_hall_id) return halls.find((one) => one.hall_id === hall.fitting_hall_id);
  const alike = halls.filter((one) => one.game === hall.game && one.preset === hall.preset && !whyClosed(one, gold));
  return alike.at(-1);
}

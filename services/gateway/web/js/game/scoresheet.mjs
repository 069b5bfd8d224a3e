// The score sheet of a room as rows and columns.

/** `[{seat, place}]` of scores by seat, the best first: equals share a place (1, 1, 3) and stand by seat. */
export function placesOf(scores) {
  const order = scores.map((_, seat) => seat).sort((a, b) => scores[b] - scores[a] || a - b);
  return order.map((seat) => ({ seat, place: 1 + scores.filter((score) => score > scores[seat]).length }));
}

/**
 * `{rows: [{no, points}], sums, places, best}` of a `GetRoomSheetResponse`; `table` (the table on the page) adds a round that the sheet does
 * not have yet. `places`: of the sums; `best`: the seats with most points.
 */
export function sheetOf({ room, rounds }, table = null) {
  const rows = rounds.map((one) => ({ no: one.round_no, points: one.points }));
  const last = table?.roundEnd;
  if (last && !rows.some((row) => row.no === table.roundNo) && last.result.points?.length === room.places.length) rows.push({ no: table.roundNo, points: last.result.points });
  const seats = room.places.map((place) => place.seat);
  const sums = seats.map((seat) => rows.reduce((sum, row) => sum + (row.points[seat] ?? 0), 0));
  const most = Math.max(...sums);
  return { rows, sums, places: placesOf(sums), best: rows.length ? seats.filter((seat) => sums[seat] === most && most > 0) : [] };
}

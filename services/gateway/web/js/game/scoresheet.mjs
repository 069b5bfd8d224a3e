// The score sheet of a room as rows and columns.

/**
 * `{rows: [{no, points}], sums, order, best}` of a `GetRoomSheetResponse`; `table` (the table on the page) adds a round that the sheet does
 * not have yet. `order`: seats, the best first; `best`: the seats with most points.
 */
export function sheetOf({ room, rounds }, table = null) {
  const rows = rounds.map((one) => ({ no: one.round_no, points: one.points }));
  const last = table?.roundEnd;
  if (last && !rows.some((row) => row.no === table.roundNo) && last.result.points?.length === room.places.length) rows.push({ no: table.roundNo, points: last.result.points });
  const seats = room.places.map((place) => place.seat);
  const sums = seats.map((seat) => rows.reduce((sum, row) => sum + (row.points[seat] ?? 0), 0));
  const most = Math.max(...sums);
  return { rows, sums, order: [...seats].sort((a, b) => sums[b] - sums[a] || a - b), best: rows.length ? seats.filter((seat) => sums[seat] === most && most > 0) : [] };
}

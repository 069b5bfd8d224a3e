// What lies on a mahjong table: melds, open hands, rivers, the wall, whose turn it is, points booked so far.
import { signed, t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { meldView, tile } from "./tileview.mjs";
import { openWaits } from "./waitsview.mjs";

/** Marks beside the name: the game's own, and points booked in this round. */
export function badge(game, state, at) {
  const { round } = state.table;
  const marks = game.marks(round, at);
  const points = round.points?.[at] ?? 0;
  if (points && !round.end) marks.push({ key: "points", words: t("mahjong.points", { points: signed(points) }), label: t("mahjong.points.words", { points: signed(points) }), tone: points > 0 ? "plus" : "minus" });
  if (!marks.length) return null;
  return h("span.mahjong-marks", { key: "marks" }, marks.map(({ key, words, label, tone = "" }) => h("span.mahjong-mark", { key, class: `mark-${key} ${tone}`, role: "img", "aria-label": label }, words)));
}

/** What lies before another seat: melds with what is open of the hand, and the river. */
export function field(game, state, at) {
  const { round } = state.table;
  return [spread(game, round, at), h("div.river", { key: "river", "aria-label": t("river") }, river(round, at))];
}

function spread(game, round, at) {
  const melds = round.melds?.[at] ?? [];
  const open = round.above?.[at] ?? game.opened(round, at);
  const waits = game.openWaits(round, at);
  const flowers = round.flowers?.[at] ?? [];
  return h(
    "div.spread",
    { key: "spread", class: open.length ? "is-open" : "" },
    flowers.length ? h("span.flowers", { key: "flowers", role: "group", "aria-label": t("mahjong.flowers", { count: flowers.length }) }, flowers.map((one) => tile(one, { key: one }))) : null,
    melds.map((meld, place) => meldView(meld, at, round.seatCount, place)),
    open.length ? h("span.open-hand", { key: "open", role: "group", "aria-label": t("mahjong.open") }, open.map((one, place) => tile(one, { key: place }))) : null,
    waits.length ? openWaits(waits) : null,
  );
}

/** The discards of a seat; the newest of the table stands out, and lies there already while others may claim it. */
export function river(round, at) {
  const lies = round.rivers?.[at] ?? [];
  const { shown } = round;
  const isOffered = shown && shown.seat === at && shown.how === "discard" && !round.end;
  const isNewest = !shown && round.lastRiver === at;
  const tiles = lies.map((one, place) => tile(one, { key: place, class: isNewest && place === lies.length - 1 ? "newest" : "" }));
  return isOffered ? [...tiles, tile(shown.tile, { key: lies.length, class: "newest offered" })] : tiles;
}

/** Own discards. */
export const ownField = (game, state) => river(state.table.round, state.table.around[0]);

/** Under the own picture: own flowers, and the marks that others have beside their names. */
export function ownFacts(game, state) {
  const { round, around } = state.table;
  const [at] = around;
  const flowers = round.flowers?.[at] ?? [];
  const marks = badge(game, state, at);
  if (!marks && !flowers.length) return null;
  return h(
    "span.own-facts",
    { key: "facts" },
    marks,
    flowers.length ? h("span.flowers", { key: "flowers", role: "group", "aria-label": t("mahjong.flowers", { count: flowers.length }) }, flowers.map((one) => tile(one, { key: one }))) : null,
  );
}

/** Whose turn it is: who is asked, else who drew or claimed last. */
function turnOf(table) {
  if (table.round.end) return -1;
  if (table.question) return table.seat;
  return table.turnSeat >= 0 ? table.turnSeat : table.round.turn;
}

/** The wall with an arrow to each seat, and the words of what is going on. */
export function middle(game, state, words) {
  const { table } = state;
  const { round } = table;
  if (!round.dealt) return words;
  const turn = turnOf(table);
  return [
    h(
      "div.compass",
      { key: "compass", role: "img", "aria-label": t("wall.left", { count: round.wallLeft }), "data-wall": round.wallLeft },
      table.around.map((at) => h("i.needle", { key: at, class: `to-${table.side(at)} ${at === turn ? "on" : ""}`, "aria-hidden": "true" })),
      h("b.wall-count", { "aria-hidden": "true" }, String(round.wallLeft)),
    ),
    game.middleFacts(round).map(({ key, words: text }) => h("span.middle-fact", { key }, text)),
    table.question ? null : words,
  ];
}

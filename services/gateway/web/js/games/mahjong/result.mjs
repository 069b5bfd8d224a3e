// Why a mahjong round scored what it scored: each winner's hand with its sets, every name, every payment.
import { hasWords, listed, nameWords, signed, t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { nameOfPlayer } from "../../view/people.mjs";
import { HIDDEN } from "./tiles.mjs";
import { meldView, tile, tileRow } from "./tileview.mjs";

const whoIs = (state, at) => (at === state.table.seat ? t("side.own") : nameOfPlayer(state, state.table.seats[at].player_id, at));

/** The heading. */
export function resultTitle(game, state, result) {
  const { winners } = result;
  if (!winners.length) return t("mahjong.result.draw");
  const how = t(`mahjong.how.${result.how}`);
  if (winners.length > 1) return t("mahjong.result.several", { who: listed(winners.map((at) => whoIs(state, at))), how });
  const [winner] = winners;
  return winner === state.table.seat ? t("result.won", { how }) : t("result.lost", { who: whoIs(state, winner), how });
}

/** Winners one by one, what was turned, and who pays whom. */
export function resultBody(game, state, result) {
  const { round } = state.table;
  return [
    result.winners.length ? null : h("p.draw-words", { key: "draw" }, t("mahjong.result.draw.words")),
    round.wins.map((win) => winView(game, state, win, result)),
    game.resultFacts(state, result),
    payments(state, round),
  ];
}

function winView(game, state, win, result) {
  const { round } = state.table;
  const said = result.wins?.find((one) => one.seat === win.seat) ?? {};
  return h(
    "div.mahjong-win",
    { key: `win-${win.seat}`, "data-winner": win.seat },
    result.winners.length > 1 ? h("p.win-who", {}, whoIs(state, win.seat)) : null,
    h("div.win-row", { role: "group", "aria-label": t("result.melds") }, winningHand(round, win)),
    h(
      "ol.win-names",
      {},
      win.names.map(([name, value]) =>
        h(
          "li.win-name",
          { key: name, "data-name": name },
          h("b", {}, nameWords(name, game.name)),
          h("span.win-value", {}, game.nameValue(name, value, win)),
          hasWords(`${game.name}.about.${name}`) ? h("span.win-about", {}, t(`${game.name}.about.${name}`)) : null,
        ),
      ),
    ),
    h("p.sum.strong", {}, game.winSum(state, win, said)),
  );
}

/** The melds, then the sets of the concealed tiles; the won tile is marked once. */
function winningHand(round, win) {
  let isMarked = false;
  const mark = (one) => {
    const isIt = !isMarked && one === win.tile;
    isMarked ||= isIt;
    return { class: isIt ? "won" : "" };
  };
  const concealed = win.sets.length ? win.sets : [withWon(round, win)].filter((tiles) => tiles.length);
  return [
    (round.melds[win.seat] ?? []).map((meld, place) => meldView(meld, win.seat, round.seatCount, `m${place}`)),
    concealed.map((tiles, place) => h("span.set", { key: `s${place}` }, tileRow(tiles, mark))),
  ];
}

/** A hand won without sets (all honours): its tiles, the won one among them. */
function withWon(round, win) {
  const hand = round.hands?.[win.seat] ?? [];
  return hand.length % 3 === 1 && win.tile ? [...hand, win.tile] : hand;
}

function payments(state, round) {
  if (!round.pays.length) return null;
  const sums = new Map();
  for (const { from, to, points, why } of round.pays) {
    const id = `${from}/${to}/${why}`;
    const sum = sums.get(id) ?? { from, to, why, points: 0 };
    sums.set(id, { ...sum, points: sum.points + points });
  }
  return h(
    "ul.payments",
    { key: "payments", "aria-label": t("mahjong.payments") },
    [...sums].map(([id, { from, to, why, points }]) =>
      h(
        "li.payment",
        { key: id, class: to === state.table.seat ? "plus" : from === state.table.seat ? "minus" : "" },
        h("span.payment-who", {}, t("mahjong.pays", { from: whoIs(state, from), to: whoIs(state, to) })),
        h("span.payment-why", {}, hasWords(`mahjong.why.${why}`) ? t(`mahjong.why.${why}`) : why),
        h("b", {}, to === state.table.seat ? signed(points) : from === state.table.seat ? signed(-points) : String(points)),
      ),
    ),
  );
}

/** Tiles of a hand that did not win. */
export const cardRow = (tiles) => tiles.map((one, at) => tile(one || HIDDEN, { key: at }));

// The table: bar, the others, the middle, the own seat, the hand, the buttons. What is the game's own comes from its face.
import { grouped, signed, t, tOr } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { actionBar } from "./actions.mjs";
import { chatPanel } from "./chat.mjs";
import { icon } from "./icons.mjs";
import { asksStrip, viewersMark, waitsForLeave } from "./leave.mjs";
import { nextOrder, setOrder } from "./order.mjs";
import { isBot, nameOfPlayer, whoAt } from "./people.mjs";
import { presetTitle } from "./presets.mjs";
import { resultScreen } from "./result.mjs";
import { ownSeat, otherSeat } from "./seats.mjs";
import { clockFace } from "./ticker.mjs";
import { topUpPanel } from "./topupstake.mjs";

/** Describe the table. */
export function tableScreen(state, controls) {
  const { table } = state;
  const over = state.ui.kept || (state.ui.resultOpen && (table.roundEnd || table.matchEnd));
  return h(
    "main.table",
    { key: "table", class: `${tableClass(table)} phase-${table.phase} ${controls.play.watches ? "is-watched" : ""}`, "data-phase": table.phase, "data-round": table.roundNo, "data-game": table.game },
    bar(state, controls),
    playground(state, controls),
    actionBar(state, controls),
    table.face.over(state, controls),
    callouts(state),
    votePanel(state, controls),
    asksStrip(state, controls),
    waitsForLeave(state, controls),
    h("p.rotate-hint", { key: "rotate" }, t("rotate")),
    state.chat.open ? chatPanel(state, controls) : null,
    over ? resultScreen(state, controls) : null,
    topUpPanel(state, controls),
  );
}

/** Names by which the style sheets know the game and the number of seats. */
export const tableClass = (table) => `game-${table.game || "none"} seats-${table.around.length}`;

/** Seats, middle, own cards: what a replay shows too. */
export function playground(state, controls) {
  const { table } = state;
  return [
    ...table.around.slice(1).reverse().map((at) => otherSeat(state, at)),
    middle(state, controls),
    h("section.own-river", { key: "own-river", "aria-label": t("river.own") }, table.face.ownField(state)),
    ownSeat(state),
    table.face.rack(state, controls),
  ];
}

function bar(state, controls) {
  const { table } = state;
  const auto = table.me?.auto_play ?? false;
  const inPlay = table.me !== null && !table.matchEnd;
  return h(
    "header.bar",
    { key: "bar" },
    barButton("menu", t("menu.title"), () => controls.dialog({ kind: "menu" })),
    h(
      "p.bar-info",
      {},
      h("span.bar-preset", {}, presetTitle(state, table.game, table.preset, t("room.custom"))),
      h("span.bar-round", {}, table.toScore ? t("table.to_score", { now: table.roundNo || 1, score: table.toScore }) : t("table.round", { now: table.roundNo || 1, all: table.rounds || "…" })),
      table.baseStake ? h("span.bar-stake", {}, t("hall.stake", { stake: grouped(table.baseStake) })) : null,
      table.fee ? h("span.bar-stake", {}, t("table.fee", { fee: grouped(table.fee) })) : null,
      table.roomCode ? h("span.bar-room", {}, t("table.room", { code: table.roomCode })) : null,
    ),
    h(
      "div.bar-buttons",
      {},
      viewersMark(state, controls),
      extension(state, controls),
      inPlay
        ? h(
            "button.bar-button",
            {
              key: "auto",
              "data-button": "auto",
              "aria-pressed": String(auto),
              "aria-label": t("auto.title"),
              title: t("auto.title"),
              disabled: state.busy.has("auto"),
              onclick: () => controls.play.autoPlay(!auto),
            },
            icon("robot"),
          )
        : null,
      // What is said at a table is not for who looks on.
      controls.play.watches ? null : h(
        "button.bar-button",
        { key: "chat", "data-button": "chat", "aria-label": t("chat.title"), title: t("chat.title"), onclick: () => controls.chat.toggle() },
        icon("chat"),
        state.chat.unread ? h("span.badge", {}, String(Math.min(99, state.chat.unread))) : null,
      ),
      table.face.orders && barButton("sort", t("settings.order"), () => setOrder(controls, state, table.face, nextOrder(state, table.face))),
      barButton("gear", t("settings.title"), () => controls.dialog({ kind: "settings" })),
    ),
  );
}

/** 延时: once a match, for the turn that is asked. */
function extension(state, controls) {
  const { table } = state;
  const { question } = table;
  const may = question && table.me?.extensions && !table.me.auto_play && !table.face.isClaim(question.actions) && state.ui.sentQuestion !== question.number;
  if (!may) return null;
  const words = t("time.extend", { seconds: Math.round(table.timing.extend_ms / 1000) });
  return h("button.bar-button.bar-extend", { key: "extend", "data-button": "extend", "aria-label": words, title: words, disabled: state.busy.has("extend"), onclick: () => controls.play.extend() }, icon("clock"), h("span", { "aria-hidden": "true" }, `+${Math.round(table.timing.extend_ms / 1000)}`));
}

function barButton(name, words, onclick) {
  return h("button.bar-button", { key: name, "data-button": name, "aria-label": words, title: words, onclick }, icon(name));
}

/** The middle: what the game shows there, or the words of what is going on. */
function middle(state, controls) {
  const { table } = state;
  return h(
    "section.middle",
    { key: "middle", "aria-live": "polite", "data-name": table.game ? t(`game.${table.game}`) : "", onclick: () => table.face.onFelt?.(controls) },
    table.face.middle(state, h("p.middle-words", { key: "words" }, middleWords(state))),
  );
}

function middleWords(state) {
  const { table } = state;
  if (table.watching.waits) return "";
  if (!table.known) return t("table.entering");
  if (table.watching.begins_at_ms > state.clock.now()) return t("watch.waits");
  if (table.paused) return tOr(`paused.${table.paused}`, "paused.other");
  if (table.phase === "seating") return t(table.mustSit ? "table.sitting" : "table.seating");
  if (table.phase === "opening") return openingWords(table);
  if (table.phase === "between") {
    const mine = table.roundEnd?.result.points?.[table.seat];
    return mine === undefined ? t("table.between") : t("table.between.points", { points: signed(mine) });
  }
  if (table.phase === "finished") return t("table.finished");
  if (table.question) return yourTurn(table);
  return table.turnSeat >= 0 && table.turnSeat !== table.seat ? t("table.thinking", { who: whoAt(state, table.turnSeat) }) : "";
}

/** Whose turn it is, and how near 托管 is to who has missed some. */
function yourTurn(table) {
  const { misses = 0 } = table.question;
  const most = table.timing.misses ?? 0;
  return misses && misses < most ? t("table.your_turn.missed", { count: most - misses }) : t("table.your_turn");
}

function openingWords(table) {
  const giving = table.seats.filter((seat) => seat.gives_nonces).length;
  return giving ? t("table.opening", { count: table.nonces.size, all: giving }) : t("table.dealing");
}

function callouts(state) {
  const { table, callouts: all } = state;
  return h(
    "div.callouts",
    { key: "callouts", "aria-live": "assertive" },
    all.map(({ id, words, values, tone, seat }) => h(`p.callout.at-${table.side(seat)}`, { key: id, class: `say-${tone}` }, t(words, values))),
  );
}

function votePanel(state, controls) {
  const { table } = state;
  if (!table.vote) return null;
  const { agreed, refused, until_ms } = table.vote;
  const voted = agreed.includes(table.seat) || refused.includes(table.seat);
  return h(
    "div.vote",
    { key: "vote", role: "alertdialog", "aria-label": t("vote.title") },
    h("p", {}, t("vote.asks"), " ", clockFace(until_ms), t("seconds")),
    h("p.vote-count", {}, t("vote.count", { yes: agreed.length, no: refused.length })),
    h(
      "ul.vote-who",
      {},
      table.around
        .filter((seat) => !isBot(table.seats[seat].player_id) && !table.seats[seat].left)
        .map((seat) => {
          const said = agreed.includes(seat) ? "yes" : refused.includes(seat) ? "no" : "open";
          return h("li", { key: seat, "data-said": said }, t(`vote.who.${said}`, { who: nameOfPlayer(state, table.seats[seat].player_id, seat) }));
        }),
    ),
    voted || table.seat < 0
      ? h("p", {}, t("vote.waiting"))
      : h(
          "div.vote-buttons",
          {},
          h("button.primary", { onclick: () => controls.play.vote(true) }, t("vote.agree")),
          h("button.plain", { onclick: () => controls.play.vote(false) }, t("vote.refuse")),
        ),
  );
}

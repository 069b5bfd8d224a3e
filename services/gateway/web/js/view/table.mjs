// The table: bar, the two others, the middle, the own seat, the hand, the buttons.
import { signed, t, tOr } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { actionBar, chiChooser } from "./actions.mjs";
import { card } from "./cardview.mjs";
import { chatPanel } from "./chat.mjs";
import { icon } from "./icons.mjs";
import { presetTitle } from "./presets.mjs";
import { rack } from "./rack.mjs";
import { resultScreen } from "./result.mjs";
import { ownSeat, otherSeat, river } from "./seats.mjs";
import { clockFace } from "./ticker.mjs";

/** Describe the table. */
export function tableScreen(state, controls) {
  const { table } = state;
  const [own, right, left] = table.around;
  const over = state.ui.resultOpen && (table.roundEnd || table.matchEnd);
  return h(
    "main.table",
    { key: "table", class: `phase-${table.phase}`, "data-phase": table.phase, "data-round": table.roundNo },
    bar(state, controls),
    otherSeat(state, left, "left"),
    otherSeat(state, right, "right"),
    middle(state),
    h("section.own-river", { key: "own-river", "aria-label": t("river.own") }, river(table, own)),
    ownSeat(state, controls, own),
    rack(state, controls, own),
    actionBar(state, controls),
    state.ui.chiOpen ? chiChooser(state, controls) : null,
    callouts(state),
    votePanel(state, controls),
    h("p.rotate-hint", { key: "rotate" }, t("rotate")),
    state.chat.open ? chatPanel(state, controls) : null,
    over ? resultScreen(state, controls) : null,
  );
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
      h("span.bar-preset", {}, presetTitle(state, table.preset, t("room.custom"))),
      h("span.bar-round", {}, t("table.round", { now: table.roundNo || 1, all: table.rounds || "…" })),
      table.baseStake ? h("span.bar-stake", {}, t("hall.stake", { stake: table.baseStake })) : null,
      table.roomCode ? h("span.bar-room", {}, t("table.room", { code: table.roomCode })) : null,
    ),
    h(
      "div.bar-buttons",
      {},
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
      h(
        "button.bar-button",
        { key: "chat", "data-button": "chat", "aria-label": t("chat.title"), title: t("chat.title"), onclick: () => controls.chat.toggle() },
        icon("chat"),
        state.chat.unread ? h("span.badge", {}, String(Math.min(99, state.chat.unread))) : null,
      ),
      barButton("sort", t("settings.order"), () => controls.setting("order", state.settings.order === "melds" ? "ranks" : "melds")),
      barButton("gear", t("settings.title"), () => controls.dialog({ kind: "settings" })),
    ),
  );
}

function barButton(name, words, onclick) {
  return h("button.bar-button", { key: name, "data-button": name, "aria-label": words, title: words, onclick }, icon(name));
}

/** The middle: the wall, the card on offer, or what is going on. */
export function middle(state) {
  const { table } = state;
  const { round } = table;
  const shown = round.shown;
  return h(
    "section.middle",
    { key: "middle", "aria-live": "polite" },
    round.dealt
      ? h(
          "p.wall",
          { key: "wall", "aria-label": t("wall.left", { count: round.wallLeft }) },
          h("span.wall-stack", { "aria-hidden": "true" }),
          h("span.wall-count", { "aria-hidden": "true" }, String(round.wallLeft)),
        )
      : null,
    shown
      ? h(
          "div.offer",
          { key: `offer-${round.drawn}-${shown.how}-${shown.card}-${round.rivers.map((one) => one.length).join("-")}`, class: sideOf(table, shown.seat) },
          card(shown.card, "large"),
          h("span.offer-whose", {}, offerWords(table, shown)),
        )
      : h("p.middle-words", { key: "words" }, middleWords(state)),
  );
}

/** `from-own`, `from-right` or `from-left`: where a card comes flying from. */
const sideOf = (table, seat) => `from-${["own", "right", "left"][table.around.indexOf(seat)]}`;

function offerWords(table, shown) {
  const who = t(`side.${["own", "right", "left"][table.around.indexOf(shown.seat)]}`);
  return t(`offer.${shown.how}`, { who });
}

function middleWords(state) {
  const { table } = state;
  if (!table.known) return t("table.entering");
  if (table.paused) return tOr(`paused.${table.paused}`, "paused.other");
  if (table.phase === "seating") return t(table.mustSit ? "table.sitting" : "table.seating");
  if (table.phase === "opening") return openingWords(table);
  if (table.phase === "between") {
    const mine = table.roundEnd?.result.points?.[table.seat];
    return mine === undefined ? t("table.between") : t("table.between.points", { points: signed(mine) });
  }
  if (table.phase === "finished") return t("table.finished");
  if (table.question) return t("table.your_turn");
  return table.turnSeat >= 0 && table.turnSeat !== table.seat ? t("table.thinking", { who: t(`side.${["own", "right", "left"][table.around.indexOf(table.turnSeat)]}`) }) : "";
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
    all.map(({ id, kind, seat }) =>
      h(`p.callout.at-${["own", "right", "left"][table.around.indexOf(seat)]}`, { key: id, class: `say-${kind}` }, t(`say.${kind}`)),
    ),
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

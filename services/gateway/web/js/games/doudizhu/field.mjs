// What lies on a table of 斗地主: hats, cards left, the last plays, the 底牌 and what the round is worth so far.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { whoAt } from "../../view/people.mjs";
import { HIDDEN, rankAt } from "./cards.mjs";
import { cardLine, lyingCard } from "./cardview.mjs";
import { readingWords } from "./wording.mjs";

/** From so few cards on everybody is warned. */
export const ALARM_CARDS = 2;

/** More cards than these are drawn smaller: before another seat, and before the own one, which has the width of the table. */
const MANY_CARDS = 5;
const MANY_OWN_CARDS = 8;

const HATS = {
  landlord: "M5 12c0-5 3-8 7-8s7 3 7 8v2H5zM1.500 14h21c.8 0 1 .9.4 1.400C20.500 17.300 16.500 18.500 12 18.500S3.500 17.300 1.100 15.400c-.6-.5-.4-1.400.4-1.400z",
  peasant: "M12 4l10.500 11c.5.6.2 1.500-.6 1.600-3 .5-6.300.9-9.900.9s-6.900-.4-9.900-.9c-.8-.1-1.100-1-.6-1.600z",
};

/** Who a seat is, once the landlord is known: `landlord` or `peasant`. */
export const roleOf = (round, seat) => (round.landlord < 0 ? "" : round.landlord === seat ? "landlord" : "peasant");

/** The hat on a seat's picture, and whether it doubled. */
export const mark = (state, seat) => [hat(state.table.round, seat), doubled(state.table.round, seat)];

function doubled(round, seat) {
  return round.doubles[seat] === 2 ? h("span.doubled", { key: "doubled", "aria-label": t("doudizhu.doubled"), role: "img" }, "×2") : null;
}

function hat(round, seat) {
  const role = roleOf(round, seat);
  if (!role) return null;
  return h(
    `span.hat.${role}`,
    { key: role, role: "img", "aria-label": t(`doudizhu.role.${role}`) },
    h("svg", { viewBox: "0 0 24 22", "aria-hidden": "true", focusable: "false" }, h("path", { d: HATS[role], fill: "currentColor" })),
  );
}

/** The landlord's title, beside the name; the hats say the rest. */
export function badge(state, seat, always = false) {
  const role = roleOf(state.table.round, seat);
  return role === "landlord" || (role && always) ? h("span.role", { key: "role", class: role }, t(`doudizhu.role.${role}`)) : null;
}

function cardsLeft(round, seat) {
  if (!round.dealt || round.end) return null;
  const count = round.counts[seat];
  const isAlarm = count <= ALARM_CARDS;
  return h(
    "span.cards-left",
    { key: "left", class: isAlarm ? "alarm" : "", role: "img", "aria-label": t(isAlarm ? "doudizhu.left.alarm" : "hand.count", { count }) },
    h("b", { "aria-hidden": "true" }, String(count)),
  );
}

/** What lies before another seat: its cards left and what it did last; after the end what it still held. */
export function field(state, seat) {
  const { round } = state.table;
  return h("div.lain", { key: "lain", class: round.end ? "open" : "" }, cardsLeft(round, seat), shownCard(round, seat), lain(round, seat), openHand(round, seat));
}

/** What the own seat did last. */
export function ownField(state) {
  const { round, around } = state.table;
  return h("div.lain", { key: "lain" }, shownCard(round, around[0]), lain(round, around[0], MANY_OWN_CARDS));
}

/** The card of the first speaker that all may see, until there is a landlord. */
function shownCard(round, seat) {
  if (!round.faceUp || round.landlord >= 0 || seat !== round.dealer || round.end) return null;
  const card = round.held[seat].find((one) => one[0] === round.faceUp);
  return card ? h("span.face-up", { key: "face-up" }, h("span.face-up-word", {}, t("doudizhu.face_up")), lyingCard(card)) : null;
}

const openHand = (round, seat) => (round.hands?.[seat].length ? cardLine(round.hands[seat], { key: "hand", className: round.hands[seat].length > MANY_CARDS ? "many" : "" }) : null);

function lain(round, seat, many = MANY_CARDS) {
  const what = round.before[seat];
  if (!what) return null;
  const turn = round.history.length + round.bids.length;
  if (what.said) return h("span.said", { key: `said-${what.said}-${turn}`, class: what.said === "pass" ? "passed" : "" }, t(`doudizhu.act.${what.said.replace(" ", ".")}`));
  return cardLine(laidOut(what), { key: `play-${what.cards.join("")}`, className: what.cards.length > many ? "many" : "" });
}

/** Cards of a play as they are laid out: the chain, trio or four first, then what goes with it. */
function laidOut({ cards, reading }) {
  const isBody = (card) => rankAt(card) >= reading.rank && rankAt(card) < reading.rank + reading.length;
  return [...cards.filter(isBody), ...cards.filter((card) => !isBody(card))];
}

/** Role and cards left of the own seat. */
export function ownFacts(state) {
  const { round, around } = state.table;
  return h("span.own-role", {}, badge(state, around[0], true), round.seat < 0 ? cardsLeft(round, around[0]) : null);
}

/** The 底牌, what the round is worth, and the words of what is going on. */
export function middle(state, words) {
  const { table } = state;
  const { round } = table;
  if (!round.dealt) return words;
  const bottom = round.bottom.length ? round.bottom : [HIDDEN, HIDDEN, HIDDEN];
  return [
    h(
      "div.bottom-cards",
      { key: "bottom", role: "group", "aria-label": t("doudizhu.bottom") },
      bottom.map((card, at) => lyingCard(card, { key: `${at}${card}` })),
    ),
    h("p.worth", { key: "worth" }, worth(round)),
    round.over && table.phase === "playing" ? h("p.to-beat", { key: "over" }, t("doudizhu.to_beat", { who: whoAt(state, round.last), what: readingWords(round.over) })) : words,
  ];
}

function worth(round) {
  const parts = [];
  if (round.bid) parts.push(h("span.worth-part", { key: "bid" }, t("doudizhu.worth.bid"), " ", h("b", {}, String(round.bid))));
  parts.push(h("span.worth-part", { key: "times", class: round.multiplier > 1 ? "raised" : "" }, t("doudizhu.worth.times"), " ", h("b", {}, `×${round.multiplier}`)));
  return parts;
}

// The wallet: balances, coins at tables, every entry of the book in plain words.
import { referenceOf, transfersOf } from "../game/entries.mjs";
import { grouped, hasWords, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { hashOf } from "../control/router.mjs";
import { icon } from "./icons.mjs";
import { amountWords, chips, currencyMark, more, nothing, panel, timeWords } from "./parts.mjs";
import { gameTitle, presetTitle } from "./presets.mjs";
import { matchPage, roundPage } from "./rounds.mjs";
import { waitFor } from "./waitfor.mjs";

const CURRENCIES = ["gold", "room_card", "activity", "gem"];

/** Describe the page `#wallet`, `#wallet/round/<id>` or `#wallet/match/<id>`. */
export function walletPage(state, controls, [what, id]) {
  if (what === "round" && id) return roundPage(state, controls);
  if (what === "match" && id) return matchPage(state, controls);
  return [balances(state, controls), stakes(state, controls), today(state, controls), book(state, controls)];
}

function balances(state, controls) {
  const { wallet } = state;
  return panel(
    "balances",
    t("wallet.balances"),
    {},
    wallet
      ? h("ul.balances", {}, CURRENCIES.map((currency) => balance(wallet, currency)))
      : waitFor(state, "wallet", () => controls.lobby.loadWallet()),
  );
}

const amountIn = (list, currency) => list.find((money) => money.currency === currency)?.amount ?? 0;

function balance(wallet, currency) {
  const staked = amountIn(wallet.staked, currency);
  return h(
    "li.balance",
    { key: currency, "data-currency": currency },
    currencyMark(currency),
    h("span.balance-name", {}, t(`currency.${currency}`)),
    h("b.balance-amount", {}, grouped(amountIn(wallet.balances, currency))),
    h("span.soft", {}, staked ? t("wallet.at_tables", { amount: grouped(staked) }) : t(`currency.${currency}.for`)),
  );
}

// ---- what lies at tables ----

function stakes(state, controls) {
  const staked = state.wallet ? amountIn(state.wallet.staked, "gold") : 0;
  const { seats, held } = controls.pages.wallet.own;
  const rows = [...(held ?? []).map(heldRow), ...(seats ?? []).filter((table) => table.base_stake && ownSeat(state, table)).map((table) => seatRow(state, controls, table))];
  if (!staked && !rows.length) return null;
  const isOnlySettling = seats && held && !rows.length;
  return panel(
    "stakes",
    t("wallet.stakes"),
    {},
    h("p.stakes-sum", {}, currencyMark("gold"), h("b", {}, grouped(staked)), h("span.soft", {}, t(isOnlySettling ? "wallet.settling" : "wallet.stakes.words"))),
    h("ul.stakes", {}, rows),
  );
}

const ownSeat = (state, table) => table.seats.find((seat) => seat.player_id === state.playerId && !seat.left);

function seatRow(state, controls, table) {
  return h(
    "li.stake",
    { key: table.match_id, "data-match": table.match_id },
    h("span.stake-what", {}, gameTitle(state, table.game), " · ", presetTitle(state, table.game, table.preset, t("room.custom")), h("span.soft", {}, t("wallet.seat.round", { now: table.round_no || 1, all: table.rounds }))),
    h("b", {}, grouped(ownSeat(state, table).stake)),
    h("button.primary", { onclick: () => backTo(controls, table.table_id) }, t("away.back")),
  );
}

/** To the table: the one this page has open, or one that goes on without it. */
function backTo(controls, tableId) {
  if (controls.state.table?.tableId === tableId) controls.router.home();
  else controls.play.enter(tableId);
}

function heldRow(one) {
  return h(
    "li.stake.is-held",
    { key: `held-${one.match_id}`, "data-held": one.match_id },
    h("span.stake-what", {}, t("wallet.held"), h("span.soft", {}, t("wallet.held.since", { when: timeWords(one.since_ms) }))),
    h("b", {}, grouped(one.money?.amount ?? 0)),
    h("a.plain.link-button", { href: hashOf("wallet", "round", one.round_id) }, t("wallet.see.round")),
  );
}

// ---- today ----

function today(state, controls) {
  const { day } = controls.pages.wallet.own;
  if (!day) return null;
  const cap = (amount, key) => (amount ? h("li", { key }, t(`wallet.today.${key}`, { cap: grouped(amount) })) : null);
  return panel(
    "today",
    t("wallet.today"),
    {},
    h("p.today-net", {}, h("span", {}, t("wallet.today.net")), h("b", { class: toneOf(day.net) }, amountWords(day.net))),
    h("ul.today-caps.soft", {}, cap(day.win_cap, "win_cap"), cap(day.loss_cap, "loss_cap"), h("li", { key: "ends" }, t("wallet.today.ends", { when: timeWords(day.ends_at_ms) }))),
  );
}

const toneOf = (amount) => (amount > 0 ? "plus" : amount < 0 ? "minus" : "");

// ---- the book ----

function book(state, controls) {
  const mine = controls.pages.wallet;
  const { currency, entries, next } = mine.own;
  const options = [["", t("wallet.all")], ...CURRENCIES.map((one) => [one, t(`currency.${one}`)])];
  return panel(
    "entries",
    t("wallet.entries"),
    {},
    chips("currency", t("wallet.filter"), options, currency, (value) => mine.filter(value)),
    entries ? list(state, entries, currency) : waitFor(state, "wallet.entries", () => mine.loadEntries()),
    more(state, "wallet.more", next, () => mine.more()),
  );
}

function list(state, entries, currency) {
  if (!entries.length) return nothing(currency ? t("wallet.none.of", { currency: t(`currency.${currency}`) }) : t("wallet.none"));
  const rows = [];
  let day = "";
  for (const one of transfersOf(entries)) {
    const words = timeWords(one.atMs, { time: false });
    if (words !== day) rows.push(h("li.day-head", { key: `day-${words}` }, h("h3", {}, words)));
    day = words;
    rows.push(row(state, one));
  }
  return h("ol.entries", { key: "entries" }, rows);
}

function row(state, one) {
  const known = hasWords(`entry.${one.kind}`);
  return h(
    "li.entry",
    { key: one.id, "data-kind": one.kind, "data-transfer": one.id },
    h("span.entry-mark", { "aria-hidden": "true" }, icon(MARKS[one.kind] ?? "coin")),
    h(
      "div.entry-what",
      {},
      h("p", {}, h("b", {}, known ? t(`entry.${one.kind}`) : t("entry.other")), " ", h("time.soft", { datetime: new Date(one.atMs).toISOString() }, timeWords(one.atMs, { date: false }))),
      h("p.soft", {}, known ? whyOf(one) : t("entry.other.why", { kind: one.kind })),
      link(state, one),
    ),
    h("div.entry-sums", {}, one.isMoved ? moved(one) : one.lines.map((line, at) => sum(line, at))),
  );
}

const MARKS = {
  welcome: "gift",
  sign_in: "check",
  task: "check",
  relief: "gift",
  stake_open: "door",
  stake_topup: "door",
  stake_close: "back",
  settlement: "scales",
  fee: "clock",
  topup: "gem",
  topup_bonus: "gem",
  refund: "back",
  chargeback: "close",
  debt: "check",
  refund_undone: "gem",
  exchange: "gem",
};

/** Why it happened, in one sentence; of a round, what was won or lost and what the table cost. */
export function whyOf(one) {
  if (one.kind !== "settlement") return t(`entry.${one.kind}.why`);
  const [{ amount, fee = 0 }] = one.lines;
  const coins = amount + fee;
  const words = t(coins > 0 ? "entry.settlement.won" : coins < 0 ? "entry.settlement.lost" : "entry.settlement.even", { coins: grouped(Math.abs(coins)) });
  return fee ? words + t("entry.settlement.fee", { fee: grouped(fee) }) : words;
}

function sum(line, at) {
  const isStake = line.account.startsWith("stake/");
  return h(
    "p",
    { key: at },
    h("b", { class: toneOf(line.amount) }, amountWords(line.amount), currencyMark(line.currency)),
    h("span.soft", {}, t(isStake ? "wallet.after.stake" : "wallet.after", { amount: grouped(line.balance_after) })),
  );
}

/** Between two accounts of the same person nothing is won or lost: the amount without a sign, and what the wallet holds then. */
function moved(one) {
  const inWallet = one.lines.find((line) => line.account.startsWith("wallet/"));
  const line = inWallet ?? one.lines[0];
  return h("p", {}, h("b", {}, grouped(Math.abs(line.amount)), currencyMark(line.currency)), inWallet ? h("span.soft", {}, t("wallet.after", { amount: grouped(inWallet.balance_after) })) : null);
}

const ORDERS = new Set(["topup", "topup_bonus", "refund", "chargeback", "debt", "refund_undone"]);

function link(state, one) {
  const { round, match } = referenceOf(one);
  const to = (words, ...parts) => h("a.entry-link", { href: hashOf(...parts) }, words);
  if (round) return to(t("wallet.see.round"), "wallet", "round", round);
  if (match) return to(t("wallet.see.match"), "wallet", "match", match);
  return ORDERS.has(one.kind) ? to(t("wallet.see.order"), "topup") : null;
}


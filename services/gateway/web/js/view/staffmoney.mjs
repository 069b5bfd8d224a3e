// For staff with the role `money`: orders and refunds, problems with payments, debts.
import { currentLanguage, grouped, hasWords, t, tOr } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { hashOf } from "../control/router.mjs";
import { fenOf, gemsOf, isMoney } from "../control/staffmoney.mjs";
import { chips, field, notice, panel, timeWords } from "./parts.mjs";
import { actForm, actOf, facts, listed, staffName } from "./staffparts.mjs";
import { yuan } from "./topup.mjs";
import { waitFor } from "./waitfor.mjs";

const told = (words) => words?.[currentLanguage() === "en" ? "en" : "zh"] ?? "";
const stateOf = (order) => order.state.replace("ORDER_STATE_", "");
const gems = (count) => t("staff.gems", { count: grouped(count) });
const orderLink = (id) => h("a.staff-id", { href: hashOf("staff", "order", id) }, id);

const DONE = new Set(["PAID"]);
const BACK = new Set(["PART_REFUNDED", "REFUNDED", "CHARGED_BACK"]);

function stateTag(order) {
  const state = stateOf(order);
  const kind = BACK.has(state) ? "is-open" : DONE.has(state) ? "is-done" : "is-idle";
  return h("span.staff-tag", { class: kind, "data-state": state }, t(`topup.state.${state}`));
}

// ---- orders ----

/** The list of orders. */
export function orders(state, controls) {
  if (!isMoney(state)) return notice(t("staff.not_yours"));
  const mine = controls.pages.staff;
  const { filter, whose } = mine.own;
  const row = (one) =>
    h(
      "li",
      { key: one.order_id, "data-order": one.order_id },
      h(
        "a.staff-row",
        { href: hashOf("staff", "order", one.order_id) },
        h("span.staff-row-head", {}, h("b", {}, `${told(one.title)} · ${yuan(one.price_fen)}`), stateTag(one)),
        h("span", {}, staffName(state, one.player_id)),
        h("span.soft", {}, `${timeWords(one.created_at_ms)} · ${one.order_id}`),
        one.returned_fen ? h("span.soft", {}, t("topup.returned", { money: yuan(one.returned_fen), gems: grouped(one.returned_gems) }), one.owed_gems ? ` · ${t("topup.order.owed", { gems: grouped(one.owed_gems) })}` : "") : null,
      ),
    );
  const options = ["UNSPECIFIED", "PAID", "RETURNED", "WAITING"].map((one) => [one, t(`staff.orders.${one}`)]);
  return panel(
    "orders",
    t("staff.orders"),
    {},
    h("p.soft", {}, t("staff.orders.words")),
    searchForm(mine),
    whose ? h("p.staff-whose", { key: "whose" }, t("staff.orders.whose", { who: staffName(state, whose) }), " ", h("button.plain", { type: "button", "data-button": "everybody", onclick: () => mine.search("") }, t("staff.orders.everybody"))) : null,
    chips("filter", t("staff.which"), options, filter, (one) => mine.pickOrders(one)),
    listed(state, controls, "orders", row, t("staff.orders.none")),
  );
}

function searchForm(mine) {
  const send = (event) => {
    event.preventDefault();
    mine.search(new FormData(event.target).get("search"));
  };
  return h(
    "form.staff-search",
    { key: "search", role: "search", onsubmit: send },
    field("search", { label: t("staff.search"), hint: t("staff.search.hint"), error: mine.own.badSearch ? t("staff.search.bad") : "", type: "search", maxlength: "80", enterkeyhint: "search" }),
    h("button.plain", { type: "submit" }, t("staff.search.go")),
  );
}

// ---- one order ----

/** Describe `#staff/order/<order>`. */
export function orderPage(state, controls) {
  if (!isMoney(state)) return notice(t("staff.not_yours"));
  const mine = controls.pages.staff;
  const { id, whole } = mine.own.order ?? {};
  if (!whole) return waitFor(state, "staff.order", () => mine.openOrder(id));
  return [summary(state, whole), refund(state, mine, whole), debtOf(state, mine, whole.order), returned(state, whole), steps(whole), events(whole)];
}

function summary(state, { order, unspent_gems }) {
  const bought = order.bonus_gems ? t("staff.order.bonus", { gems: gems(order.gems), bonus: grouped(order.bonus_gems) }) : gems(order.gems);
  return panel(
    "order",
    `${told(order.title)} · ${yuan(order.price_fen)}`,
    { "data-shown": order.order_id },
    h("p.staff-row-head", {}, h("span.staff-id", {}, order.order_id), stateTag(order)),
    facts([
      [t("staff.order.player"), h("a", { href: hashOf("staff", "orders", order.player_id), title: order.player_id }, staffName(state, order.player_id))],
      [t("staff.order.bought"), bought],
      [t("staff.order.made"), timeWords(order.created_at_ms)],
      [t("staff.order.paid"), order.paid_at_ms ? timeWords(order.paid_at_ms) : t("staff.order.unpaid")],
      [t("staff.order.provider"), order.provider],
      [t("staff.order.unspent"), order.paid_at_ms ? gems(unspent_gems) : ""],
      [t("staff.order.back"), order.returned_fen ? `${yuan(order.returned_fen)} · ${gems(order.returned_gems)}` : ""],
      [t("staff.order.owed"), order.owed_gems ? gems(order.owed_gems) : ""],
    ]),
  );
}

function refund(state, mine, { order, refundable_fen: unspent }) {
  if (!order.paid_at_ms) return null;
  const act = actOf(mine, "refund", order.order_id);
  const left = order.price_fen - order.returned_fen;
  if (left <= 0) return panel("refund", t("staff.refund"), {}, notice(t("staff.refund.none")));
  const most = act?.even || !unspent ? left : unspent;
  const fen = fenOf(act?.amount ?? "");
  const bad = act && !(fen >= 1 && fen <= most);
  return panel(
    "refund",
    t("staff.refund"),
    {},
    h("p.soft", {}, t("staff.refund.words", { most: yuan(unspent) })),
    act
      ? actForm(state, mine, act, {
          label: t("staff.refund.amount"),
          hint: t("staff.refund.hint", { most: yuan(most) }),
          error: bad && act.amount ? t("staff.refund.bad", { most: yuan(most) }) : "",
          more: unspent < left ? evenIfSpent(mine, act, left) : null,
          may: !bad && (act.even || fen <= unspent),
          sure: t(fen > unspent ? "staff.refund.sure.debt" : "staff.refund.sure", { amount: bad ? "" : yuan(fen) }),
          yes: t("staff.refund.do"),
        })
      : h("div.page-buttons", {}, h("button.plain", { type: "button", "data-button": "refund", onclick: () => mine.begin("refund", order.order_id, String((unspent || left) / 100)) }, t("staff.refund.begin"))),
  );
}

/** Whether money goes back for gems that are spent, too: then they are owed. */
function evenIfSpent(mine, act, left) {
  const choose = (event) => mine.writeAct({ even: event.target.checked });
  return h("label.check", {}, h("input", { type: "checkbox", name: "even", "data-field": "even", checked: Boolean(act.even), onchange: choose }), h("span", {}, t("staff.refund.even", { most: yuan(left) }), h("span.soft", {}, t("staff.refund.even.about"))));
}

function debtOf(state, mine, order) {
  if (!order.owed_gems) return null;
  return panel("debt", t("staff.debt"), {}, h("p.soft", {}, t("staff.debts.words")), waiveForm(state, mine, order.order_id, order.owed_gems));
}

function returned(state, { returns }) {
  if (!returns.length) return null;
  const row = (one) =>
    h(
      "li.staff-deed",
      { key: one.return_id, "data-return": one.kind },
      h("p.staff-row-head", {}, h("b", {}, `${t(`staff.return.${one.kind}`)} · ${yuan(one.amount_fen)}`), h("span.staff-tag", { class: one.state === "asked" ? "is-open" : "is-idle", "data-state": one.state }, t(`staff.return.${one.state}`))),
      one.staff_id ? h("p", {}, staffName(state, one.staff_id)) : null,
      one.reason ? h("p", {}, one.reason) : null,
      h("p.soft", {}, `${timeWords(one.at_ms)} · ${one.return_id}`),
    );
  return panel("returns", t("staff.returns"), {}, h("ol.staff-list", {}, returns.map(row)));
}

function steps({ history }) {
  const row = (one, at) => {
    const [from, to] = [one.from, one.to].map((state) => state.replace("ORDER_STATE_", ""));
    const [before, after] = [from === "UNSPECIFIED" ? "" : t(`topup.state.${from}`), t(`topup.state.${to}`)];
    const words = before && before !== after ? `${before} → ${after}` : after;
    return h("li.staff-step", { key: at }, h("time.soft", { datetime: new Date(one.at_ms).toISOString() }, timeWords(one.at_ms)), h("b", {}, words), h("span.soft", {}, [tOr(`staff.cause_of.${one.cause}`, one.cause), one.detail].filter(Boolean).join(" · ")));
  };
  return panel("steps", t("staff.steps"), {}, h("ol.staff-list", {}, history.map(row)));
}

function events({ events: said }) {
  if (!said.length) return null;
  const row = (one) =>
    h("li.staff-step", { key: one.event_id }, h("time.soft", { datetime: new Date(one.at_ms).toISOString() }, timeWords(one.at_ms)), h("b", {}, `${t(`staff.event.${one.kind}`)} · ${yuan(one.amount_fen)}`), h("span.soft", {}, [outcomeWords(one.outcome), one.event_id].join(" · ")));
  return panel("events", t("staff.events"), {}, h("ol.staff-list", {}, said.map(row)));
}

const outcomeWords = (outcome) => (hasWords(`staff.outcome_of.${outcome}`) ? t(`staff.outcome_of.${outcome}`) : tOr(`staff.problem.${outcome}`, outcome));

// ---- problems ----

/** What providers said that nobody acted upon. */
export function problems(state, controls) {
  if (!isMoney(state)) return notice(t("staff.not_yours"));
  const mine = controls.pages.staff;
  const { withResolved } = mine.own;
  const options = [[false, t("staff.which.open")], [true, t("staff.which.all")]];
  return panel(
    "problems",
    t("staff.problems"),
    {},
    h("p.soft", {}, t("staff.problems.words")),
    chips("resolved", t("staff.which"), options, withResolved, (all) => mine.pickProblems(all)),
    listed(state, controls, "problems", (one) => problem(state, mine, one), t("staff.problems.none")),
  );
}

function problem(state, mine, one) {
  const act = actOf(mine, "resolve", one.problem_id);
  const said = detailOf(one);
  const by = { who: one.resolved_by ? staffName(state, one.resolved_by) : t("staff.somebody"), when: timeWords(one.resolved_at_ms) };
  return h(
    "li.staff-alert",
    { key: one.problem_id, "data-problem": one.reason },
    h("p.staff-row-head", {}, h("b", {}, tOr(`staff.problem.${one.reason}`, one.reason)), h("span.soft", {}, timeWords(one.at_ms))),
    hasWords(`staff.problem.${one.reason}.do`) ? h("p", {}, t(`staff.problem.${one.reason}.do`)) : null,
    facts([
      [t("staff.order"), one.order_id ? (one.reason === "unknown_order" ? one.order_id : orderLink(one.order_id)) : ""],
      [t("staff.said"), said.kind ? tOr(`staff.event.${said.kind}`, said.kind) : ""],
      [t("staff.amount"), said.amount_fen ? `${yuan(said.amount_fen)}${said.currency ? ` ${said.currency}` : ""}` : ""],
      [t("staff.payment"), said.payment_id ?? ""],
      [t("staff.order.provider"), one.provider],
      [t("staff.event_id"), one.event_id],
    ]),
    one.resolved_at_ms ? notice(t("staff.resolved", { ...by, reason: one.resolution || "–" }), "good") : null,
    !one.resolved_at_ms && !act ? h("div.page-buttons", {}, h("button.plain", { type: "button", "data-button": "resolve", onclick: () => mine.begin("resolve", one.problem_id) }, t("staff.resolve"))) : null,
    !one.resolved_at_ms && act ? actForm(state, mine, act, { may: true, sure: t("staff.resolve.sure"), yes: t("staff.resolve") }) : null,
  );
}

function detailOf(problem) {
  try {
    return JSON.parse(problem.detail_json);
  } catch {
    return {};
  }
}

// ---- debts ----

/** Gems that were spent before their money went back. */
export function debts(state, controls) {
  if (!isMoney(state)) return notice(t("staff.not_yours"));
  const mine = controls.pages.staff;
  const { owedGems, debts: known } = mine.own;
  const row = (one) =>
    h(
      "li.staff-alert",
      { key: one.order_id, "data-debt": one.order_id },
      h("p.staff-row-head", {}, h("b", { "data-owed": one.owed_gems }, gems(one.owed_gems)), h("span.soft", {}, timeWords(one.since_ms))),
      facts([
        [t("staff.order.player"), staffName(state, one.player_id)],
        [t("staff.order"), orderLink(one.order_id)],
        [t("staff.debt.short"), gems(one.short_gems)],
        [t("staff.debt.paid"), one.paid_gems ? gems(one.paid_gems) : ""],
        [t("staff.debt.waived"), one.waived_gems ? gems(one.waived_gems) : ""],
      ]),
      waiveForm(state, mine, one.order_id, one.owed_gems),
    );
  return panel(
    "debts",
    t("staff.debts"),
    {},
    h("p.soft", {}, t("staff.debts.words")),
    known.rows?.length ? h("p", { "data-total": owedGems }, t("staff.debts.total", { count: grouped(known.open), gems: grouped(owedGems) })) : null,
    listed(state, controls, "debts", row, t("staff.debts.none")),
  );
}

function waiveForm(state, mine, id, owed) {
  const act = actOf(mine, "waive", id);
  if (!act) return h("div.page-buttons", {}, h("button.plain", { type: "button", "data-button": "waive", onclick: () => mine.begin("waive", id, String(owed)) }, t("staff.waive.begin")));
  const count = gemsOf(act.amount);
  const bad = !(count >= 1 && count <= owed);
  return actForm(state, mine, act, {
    label: t("staff.waive.amount"),
    hint: t("staff.waive.hint", { owed: grouped(owed) }),
    error: bad && act.amount ? t("staff.waive.bad", { owed: grouped(owed) }) : "",
    may: !bad,
    sure: t("staff.waive.sure", { gems: bad ? "" : grouped(count) }),
    yes: t("staff.waive.do"),
  });
}

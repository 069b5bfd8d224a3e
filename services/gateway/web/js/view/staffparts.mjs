// Small parts of the pages for staff.
import { grouped, hasWords, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { REASON_MAX, REASON_MIN } from "../control/staff.mjs";
import { confirmed, field, more, nothing } from "./parts.mjs";
import { nameOfPlayer } from "./people.mjs";
import { waitFor } from "./waitfor.mjs";

/** `OUTCOME_ENGINE` → `ENGINE`; "" while nobody has decided. */
export const outcomeOf = (outcome) => (outcome === "OUTCOME_UNSPECIFIED" ? "" : outcome.replace("OUTCOME_", ""));

/** Whether a dispute is open, or how it was decided. */
export function outcomeTag(outcome) {
  const decided = outcomeOf(outcome);
  return h("span.staff-tag", { class: decided ? "is-done" : "is-open", "data-outcome": decided || "open" }, t(decided ? `staff.outcome.${decided}` : "staff.open"));
}

/** A field in which both sides differ, as scoring names it: `points`, `action 17`, `nonce 2`. */
export function fieldWords(field) {
  const [name, ...rest] = field.split(" ");
  return hasWords(`staff.field.${name}`) ? [t(`staff.field.${name}`), ...rest].join(" ") : field;
}

/** What lies in the stakes of the match, and what waits behind it. */
export function heldWords(one) {
  const held = one.held.map((money) => t("staff.held", { amount: grouped(money.amount), currency: t(`currency.${money.currency}`) }));
  if (one.waiting_rounds) held.push(t("staff.waiting", { count: one.waiting_rounds }));
  return held.length ? ` · ${held.join(" · ")}` : "";
}

/** A list: what is loaded, or that it is still to come; nothing there; more of it. */
export function listed(state, controls, name, rows, none) {
  const mine = controls.pages.staff;
  if (!mine.own[name].rows) return waitFor(state, `staff.${name}`, () => mine.load(name));
  if (!mine.own[name].rows.length) return nothing(none);
  return [h("ol.staff-list", { key: `list-${name}` }, mine.own[name].rows.map(rows)), more(state, "staff.more", mine.own[name].next, () => mine.more(name))];
}

/** Whether these words are a reason that staff may give. */
export const isReason = (words) => words.trim().length >= REASON_MIN && words.trim().length <= REASON_MAX;

/** Where staff says why. */
export function reasonField(name, words, write) {
  return h(
    "label.page-field",
    { key: name },
    h("span.field-label", {}, t("staff.reason")),
    h("textarea.field-input", { name, "data-field": name, rows: "3", maxlength: String(REASON_MAX), value: words, oninput: (event) => write(event.target.value) }),
    h("span.field-about", {}, t("staff.reason.hint", { least: REASON_MIN, most: REASON_MAX })),
  );
}

/** Somebody of the staff, by name where there is one. */
export const staffName = (state, id) => (id?.startsWith("p_") ? `${nameOfPlayer(state, id)} (${id})` : id);

/** Facts, one under the other: `[[label, value]]`; empty values are left out. */
export function facts(rows) {
  return h("dl.staff-facts", {}, rows.flatMap(([label, value], at) => (value === "" || value === null ? [] : [h("dt", { key: `t${at}` }, label), h("dd", { key: `d${at}` }, value)])));
}

// ---- how something is done ----

/** What is being written about one thing, if it is this. */
export const actOf = (mine, what, id) => (mine.own.act?.what === what && mine.own.act.id === id ? mine.own.act : null);

/** How much (`label` only where there is an amount) or `more` to choose from, and why; then once more whether. */
export function actForm(state, mine, act, { label = "", hint = "", error = "", more = null, may, sure, yes }) {
  const busy = mine.isBusy(act.what);
  const send = (event) => {
    event.preventDefault();
    if (may && isReason(act.reason)) mine.askAct(true);
  };
  return h(
    "form.page-form.staff-act",
    { key: `act-${act.what}-${act.id}`, "data-act": act.what, onsubmit: send },
    label ? field("amount", { label, hint, error, fill: act.amount, inputmode: "decimal", maxlength: "12", oninput: (event) => mine.writeAct({ amount: event.target.value }) }) : null,
    more,
    reasonField("act-reason", act.reason, (words) => mine.writeAct({ reason: words })),
    act.asks
      ? confirmed(true, sure, yes, () => mine.perform(), () => mine.askAct(false), { busy })
      : h("div.page-buttons", { key: "send" }, h("button.plain", { type: "button", onclick: () => mine.begin(null) }, t("cancel")), h("button.primary", { type: "submit", "data-button": "send", disabled: !may || !isReason(act.reason) || busy }, yes)),
  );
}

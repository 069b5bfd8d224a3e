// Small parts of the pages for staff.
import { grouped, hasWords, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";

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

// What pages are put together from. The style is css/pages.css.
import { takeFocus } from "../lib/focus.mjs";
import { currentLanguage, grouped, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";

/** A titled part of a page. */
export function panel(key, title, props, ...children) {
  return h("section.panel", { key, "data-panel": key, "aria-label": title, ...props }, h("h2", {}, title), children);
}

/**
 * A labelled input: `{label, hint?, error?, ...props of the input}`. What is typed belongs to the form; `fill` is put in when the
 * field is made. An error is read out and marks the field.
 */
export function field(name, { label, hint = "", error = "", fill = "", tag = "input", options = [], ...props }) {
  const about = `about-${name}`;
  const made = (node) => (node.value = fill);
  return h(
    "label.page-field",
    { key: name, class: error ? "bad" : "" },
    h("span.field-label", {}, label),
    h(
      `${tag}.field-input`,
      { name, "data-field": name, "aria-invalid": error ? "true" : null, "aria-describedby": hint || error ? about : null, autocomplete: "off", oncreate: made, ...props },
      options.map(([value, words]) => h("option", { key: value, value }, words)),
    ),
    error || hint ? h("span.field-about", { id: about, role: error ? "alert" : null }, error || hint) : null,
  );
}

/** One of several: `options` is a list of `[value, words]`. */
export function chips(name, label, options, current, pick) {
  return h(
    "div.page-chips",
    { key: name, role: "radiogroup", "aria-label": label, "data-chips": name },
    options.map(([value, words]) =>
      h("button.chip", { key: String(value), type: "button", role: "radio", "aria-checked": String(value === current), "data-value": String(value), onclick: () => pick(value) }, words),
    ),
  );
}

/** A line that says something to the reader; `tone`: `plain`, `bad`, `good`. */
export const notice = (words, tone = "plain", props = {}) => h(`p.notice.is-${tone}`, { role: tone === "bad" ? "alert" : null, ...props }, words);

/** Nothing is there. */
export const nothing = (words) => h("p.nothing", { key: "nothing" }, words);

/** The button below a list that goes on; nothing at its end. */
export function more(state, busy, token, onclick) {
  if (!token) return null;
  const waits = state.busy.has(busy);
  return h("button.plain.more", { key: "more", disabled: waits, onclick }, waits ? h("span.spinner", { "aria-hidden": "true" }) : null, t("records.more"));
}

const showIt = (node) => queueMicrotask(() => node.scrollIntoView({ block: "nearest" }));

/** Asks before something that cannot be taken back: the words, then yes or no in their place. */
export function confirmed(asks, words, yes, onyes, onno, { tone = "danger", busy = false } = {}) {
  if (!asks) return null;
  return h(
    "div.confirm",
    { key: "confirm", role: "alertdialog", "aria-label": words, oncreate: showIt },
    h("p", {}, words),
    h("div.confirm-buttons", {}, h("button.plain", { type: "button", onclick: onno, oncreate: takeFocus }, t("cancel")), h(`button.${tone}`, { type: "button", disabled: busy, onclick: onyes }, yes)),
  );
}

/** The mark of a currency. */
export const currencyMark = (currency) => h("span.currency", { class: `of-${currency}`, "aria-hidden": "true" }, currency === "gold" ? "" : icon(CURRENCY_ICONS[currency] ?? "coin"));

const CURRENCY_ICONS = { room_card: "card", activity: "star", gem: "gem" };

/** An amount with its sign and thousands. */
export const amountWords = (amount) => `${amount > 0 ? "+" : amount < 0 ? "−" : ""}${grouped(Math.abs(amount))}`;

/** A moment in words; the year only if it is not this one. */
export function timeWords(ms, { date = true, time = true } = {}) {
  const when = new Date(ms);
  const day = date ? { month: "short", day: "numeric", ...(when.getFullYear() === new Date(Date.now()).getFullYear() ? {} : { year: "numeric" }) } : {};
  const clock = time ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } : {};
  return when.toLocaleString(currentLanguage(), { ...day, ...clock });
}

// For staff: disputed rounds, contradictions, money, people, the log of what staff did.
import { hasWords, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { hashOf } from "../control/router.mjs";
import { isAdmin, isDisputes, partOf, partsFor } from "../control/staff.mjs";
import { chips, notice, panel, timeWords } from "./parts.mjs";
import { gameTitle, presetTitle } from "./presets.mjs";
import { disputePage } from "./staffdispute.mjs";
import { debts, orderPage, orders, problems } from "./staffmoney.mjs";
import { deedRow, people, personPage } from "./staffpeople.mjs";
import { fieldWords, heldWords, isReason, listed, outcomeTag, reasonField, staffName } from "./staffparts.mjs";

/** Describe the page `#staff`, `#staff/<part>`, `#staff/dispute/<round>`, `#staff/order/<order>` or `#staff/person/<player>`. */
export function staffPage(state, controls, [what, id]) {
  if (what === "dispute" && id) return disputePage(state, controls);
  if (what === "order" && id) return orderPage(state, controls);
  if (what === "person" && id) return personPage(state, controls);
  const part = partOf(state, what);
  return [tabs(state, controls, part), PARTS[part](state, controls)];
}

const PARTS = { disputes, alerts, orders, problems, debts, people, log };

function tabs(state, controls, current) {
  const { own } = controls.pages.staff;
  return h(
    "nav.staff-tabs",
    { key: "tabs", "aria-label": t("staff.title") },
    partsFor(state).map((part) =>
      h("a.staff-tab", { key: part, href: hashOf("staff", part), "data-tab": part, "aria-current": part === current ? "page" : null }, t(`staff.tab.${part}`), own[part].open ? h("b.staff-count", {}, own[part].open) : null),
    ),
  );
}

function filter(controls) {
  const mine = controls.pages.staff;
  return chips("which", t("staff.which"), [["open", t("staff.which.open")], ["", t("staff.which.all")]], mine.own.which, (which) => mine.pick(which));
}

function disputes(state, controls) {
  if (!isDisputes(state)) return notice(t("staff.not_yours"));
  const row = (one) =>
    h(
      "li",
      { key: one.round_id, "data-dispute": one.round_id },
      h(
        "a.staff-row",
        { href: hashOf("staff", "dispute", one.round_id) },
        h("span.staff-row-head", {}, h("b", {}, one.round_id), outcomeTag(one.outcome)),
        h("span", {}, [gameTitle(state, one.game), presetTitle(state, one.game, one.preset, t("room.custom")), timeWords(one.at_ms)].join(" · ")),
        h("span.soft", {}, causeWords(one), heldWords(one)),
      ),
    );
  return panel("disputes", t("staff.disputes"), {}, filter(controls), listed(state, controls, "disputes", row, t("staff.disputes.none")));
}

/** Why a round waits, in short: what differs, or why it could not be settled. */
export function causeWords(one) {
  if (one.cause === "disputed") return t("staff.cause.disputed", { fields: one.fields.map(fieldWords).join(t("comma")) });
  return hasWords(`staff.cause.${one.cause}`) ? t(`staff.cause.${one.cause}`) : one.cause;
}

function alerts(state, controls) {
  if (!isDisputes(state)) return notice(t("staff.not_yours"));
  return panel(
    "alerts",
    t("staff.alerts"),
    {},
    h("p.soft", {}, t("staff.alerts.words")),
    filter(controls),
    listed(state, controls, "alerts", (one) => alertRow(state, controls, one), t("staff.alerts.none")),
  );
}

/** A contradiction: what was said first, what was said later, and who has looked at it. */
export function alertRow(state, controls, one) {
  const mine = controls.pages.staff;
  const { looks } = mine.own;
  const by = { who: staffName(state, one.acknowledged_by), when: timeWords(one.acknowledged_at_ms) };
  return h(
    "li.staff-alert",
    { key: one.alert_id, "data-alert": one.kind },
    h("p.staff-row-head", {}, h("b", {}, one.round_id), h("span.soft", {}, timeWords(one.at_ms))),
    h("p", {}, t(`staff.alert.${one.kind}`)),
    h("dl.staff-facts", {}, h("dt", {}, t("staff.alert.first")), h("dd", {}, one.first_says), h("dt", {}, t("staff.alert.later")), h("dd", {}, one.says)),
    one.acknowledged_at_ms ? notice(t("staff.alert.seen", { ...by, reason: one.reason }), "good") : null,
    !one.acknowledged_at_ms && looks?.id !== one.alert_id ? h("button.plain", { type: "button", "data-button": "look", onclick: () => mine.look(one.alert_id) }, t("staff.alert.look")) : null,
    !one.acknowledged_at_ms && looks?.id === one.alert_id ? lookForm(state, mine) : null,
  );
}

function lookForm(state, mine) {
  const { reason } = mine.own.looks;
  const send = (event) => {
    event.preventDefault();
    mine.acknowledge();
  };
  return h(
    "form.page-form",
    { key: "look", onsubmit: send },
    reasonField("look-reason", reason, (words) => mine.lookReason(words)),
    h(
      "div.page-buttons",
      {},
      h("button.plain", { type: "button", onclick: () => mine.look("") }, t("cancel")),
      h("button.primary", { type: "submit", disabled: !isReason(reason) || state.busy.has("staff.look") }, t("staff.alert.done")),
    ),
  );
}

function log(state, controls) {
  if (!isAdmin(state)) return notice(t("staff.not_yours"));
  const row = (one) => deedRow(state, one);
  return panel("log", t("staff.log"), {}, h("p.soft", {}, t("staff.log.words")), listed(state, controls, "log", row, t("staff.log.none")));
}

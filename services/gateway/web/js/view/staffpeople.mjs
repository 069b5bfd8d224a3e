// For staff: people, found and looked at whole, and what can be done about one of them.
import { grouped, hasWords, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { hashOf } from "../control/router.mjs";
import { isAdmin, isSupport } from "../control/staffpeople.mjs";
import { isMoney } from "../control/staffmoney.mjs";
import { bandOf } from "./limits.mjs";
import { chips, field, notice, nothing, panel, timeWords } from "./parts.mjs";
import { actForm, actOf, facts, listed, staffName } from "./staffparts.mjs";
import { waitFor } from "./waitfor.mjs";

const ROLES = ["support", "disputes", "money", "admin"];
const BANDS = [1, 2, 3, 4];
const SPANS = ["1", "7", "30", "365", "ever"];
const FOR_EVER = -1;
const MINUTE_MS = 60_000;

/** The part that finds people. */
export function people(state, controls) {
  if (!isSupport(state)) return notice(t("staff.not_yours"));
  const mine = controls.pages.staff;
  const row = (one) =>
    h(
      "li",
      { key: one.player_id, "data-person": one.player_id },
      h("a.staff-row", { href: hashOf("staff", "person", one.player_id) }, h("span.staff-row-head", {}, h("b", {}, one.nickname || t("staff.person.gone"))), h("span.soft", {}, `${one.player_id} · ${t("staff.person.since", { when: timeWords(one.created_at_ms, { time: false }) })}`)),
    );
  return panel(
    "people",
    t("staff.people"),
    {},
    h("p.soft", {}, t("staff.people.words")),
    search(mine),
    mine.own.query ? listed(state, controls, "people", row, t("staff.people.none")) : null,
    mine.own.query && mine.own.hasMore ? h("p.soft", { key: "more" }, t("staff.people.more")) : null,
  );
}

function search(mine) {
  const send = (event) => {
    event.preventDefault();
    mine.find(event.target.elements.search.value);
  };
  return h(
    "form.staff-search",
    { key: "search", role: "search", onsubmit: send },
    field("search", { label: t("staff.people.search"), fill: mine.own.query, type: "search", maxlength: "64", enterkeyhint: "search" }),
    h("button.plain", { type: "submit" }, t("staff.search.go")),
  );
}

/** One person, whole. */
export function personPage(state, controls) {
  if (!isSupport(state)) return notice(t("staff.not_yours"));
  const mine = controls.pages.staff;
  const { person } = mine.own;
  if (!person?.whole) return waitFor(state, "staff.person", () => mine.openPerson(person?.id));
  const { deeds } = person;
  return [
    summary(state, person),
    isAdmin(state) && !person.whole.profile.is_deleted ? [suspension(state, mine, person), roles(state, mine, person)] : null,
    protection(state, mine, person),
    keys(state, mine, person),
    isAdmin(state) ? deedsAbout(state, mine, person.id, deeds) : null,
  ];
}

/** What staff did about him; the log hears of it a moment after it is done. */
function deedsAbout(state, mine, id, deeds) {
  return panel(
    "deeds",
    t("staff.person.deeds"),
    {},
    deeds?.length ? h("ol.staff-list", {}, deeds.map((one) => deedRow(state, one, id))) : nothing(t("staff.log.none")),
    h("div.page-buttons", { key: "again" }, h("button.plain", { type: "button", "data-button": "again", onclick: () => mine.openPerson(id) }, t("staff.person.again"))),
  );
}

/** Whether he is in, kept out, about to go, or gone. */
function standing({ profile, suspended_until_ms: until, deletes_at_ms: deletes }) {
  const [name, kind] = profile.is_deleted ? ["gone", "is-idle"] : until ? ["suspended", "is-open"] : deletes ? ["leaving", "is-open"] : ["good", "is-done"];
  return h("span.staff-tag", { class: kind, "data-standing": name }, t(`staff.person.${name}`));
}

const untilWords = (ms) => (ms === FOR_EVER ? t("staff.person.for_ever") : timeWords(ms));
const wayWords = (way) => (way.startsWith("oidc:") ? way.slice(5) : t(`staff.person.way.${way}`));

function summary(state, { id, whole }) {
  const { profile } = whole;
  return panel(
    "person",
    profile.nickname || t("staff.person.gone"),
    { "data-shown": id },
    h("p.staff-row-head", {}, h("span.staff-id", {}, id), standing(whole)),
    facts([
      [t("staff.person.made"), timeWords(profile.created_at_ms)],
      [t("staff.person.roles"), whole.roles.map((role) => t(`staff.role.${role}`)).join(t("comma"))],
      [t("staff.person.ways"), whole.ways.map(wayWords).join(t("comma"))],
      [t("staff.person.sessions"), grouped(whole.sessions)],
      [t("staff.person.out_until"), whole.suspended_until_ms ? untilWords(whole.suspended_until_ms) : ""],
      [t("staff.person.out_why"), whole.suspended_because],
      [t("staff.person.leaves"), whole.deletes_at_ms ? timeWords(whole.deletes_at_ms) : ""],
      [t("staff.tab.orders"), isMoney(state) ? h("a", { href: hashOf("staff", "orders", id) }, t("staff.person.orders")) : ""],
    ]),
  );
}

// ---- what can be done ----

/** A button that begins a deed, or its form; `choose`: how one of several is picked. */
function deed(state, mine, what, id, first, { begin, choose = null, may = true, sure, yes }) {
  const act = actOf(mine, what, id);
  if (!act) return h("div.page-buttons", { key: what }, h("button.plain", { type: "button", "data-button": what, onclick: () => mine.begin(what, id, first) }, begin));
  return actForm(state, mine, act, { more: choose?.(act), may, sure: sure(act), yes });
}

const pick = (mine, name, label, options) => (act) => chips(name, label, options, act.amount, (amount) => mine.writeAct({ amount }));

function suspension(state, mine, { id, whole }) {
  const out = whole.suspended_until_ms;
  const spans = SPANS.map((span) => [span, t(`staff.span.${span}`)]);
  return panel(
    "suspension",
    t("staff.suspension"),
    {},
    h("p.soft", {}, t(whole.roles.length ? "staff.suspension.staff" : "staff.suspension.words")),
    whole.roles.length
      ? null
      : deed(state, mine, "suspend", id, "7", {
          begin: t(out ? "staff.suspend.longer" : "staff.suspend.begin"),
          choose: pick(mine, "span", t("staff.suspension"), spans),
          sure: (act) => t("staff.suspend.sure", { span: t(`staff.span.${act.amount}`) }),
          yes: t("staff.suspend.do"),
        }),
    out ? deed(state, mine, "lift", id, "", { begin: t("staff.lift.begin"), sure: () => t("staff.lift.sure"), yes: t("staff.lift.do") }) : null,
  );
}

function roles(state, mine, { id, whole }) {
  const named = (role) => t(`staff.role.${role}`);
  const missing = ROLES.filter((role) => !whole.roles.includes(role));
  const options = (which) => which.map((role) => [role, named(role)]);
  return panel(
    "roles",
    t("staff.person.roles"),
    {},
    h("p.soft", {}, t("staff.roles.words")),
    missing.length
      ? deed(state, mine, "grant", id, missing[0], {
          begin: t("staff.grant.begin"),
          choose: pick(mine, "role", t("staff.grant.begin"), options(missing)),
          sure: (act) => t("staff.grant.sure", { role: named(act.amount) }),
          yes: t("staff.grant.do"),
        })
      : null,
    whole.roles.length
      ? deed(state, mine, "ungrant", id, whole.roles[0], {
          begin: t("staff.ungrant.begin"),
          choose: pick(mine, "role", t("staff.ungrant.begin"), options(whole.roles)),
          sure: (act) => t("staff.ungrant.sure", { role: named(act.amount) }),
          yes: t("staff.ungrant.do"),
        })
      : null,
  );
}

function protection(state, mine, { id, whole, protection: found }) {
  const band = bandOf(found);
  const named = (one) => (one ? t(`limits.band.${one}`) : t("staff.band.undeclared"));
  const { verdict } = found;
  return panel(
    "protection",
    t("staff.protection"),
    {},
    facts([
      [t("staff.band"), h("span", { "data-band": band }, named(band))],
      [t("staff.band.treated"), bandOf({ band: found.treated_as }) === band ? "" : named(bandOf({ band: found.treated_as }))],
      [t("staff.played"), t("limits.minutes", { count: Math.floor(found.played_today_ms / MINUTE_MS) })],
      [t("staff.net"), t("limits.gold", { amount: grouped(found.net_today) })],
      [t("staff.excluded"), found.excluded_until_ms > found.now_ms ? timeWords(found.excluded_until_ms) : ""],
      [t("staff.may_play"), verdict.reason ? t(`limits.reason.${verdict.reason}`) : t("limits.may")],
    ]),
    isAdmin(state) && !whole.profile.is_deleted
      ? deed(state, mine, "band", id, String(band || 4), {
          begin: t("staff.band.begin"),
          choose: pick(mine, "band", t("staff.band"), BANDS.map((one) => [String(one), named(one)])),
          sure: (act) => t("staff.band.sure", { band: named(Number(act.amount)) }),
          yes: t("staff.band.do"),
        })
      : null,
  );
}

function keys(state, mine, { id, keys: found }) {
  const good = found.filter((key) => !key.revoked_at_ms);
  const row = (key) =>
    h(
      "li.staff-deed",
      { key: key.key_id, "data-key": key.key_id },
      h("p.staff-row-head", {}, h("b", {}, key.name), h("span.staff-tag", { class: key.revoked_at_ms ? "is-idle" : "is-done", "data-state": key.revoked_at_ms ? "revoked" : "good" }, t(key.revoked_at_ms ? "staff.key.revoked" : "staff.key.good"))),
      h("p", {}, key.scopes.map((scope) => (hasWords(`security.scope.${scope}`) ? t(`security.scope.${scope}`) : scope)).join(t("comma"))),
      h("p.soft", {}, `${key.used_at_ms ? t("security.key.used", { when: timeWords(key.used_at_ms) }) : t("security.key.unused")} · ${t("security.key.quota", { minute: grouped(key.per_minute), day: grouped(key.per_day) })}`),
    );
  return panel(
    "keys",
    t("staff.keys"),
    {},
    found.length ? h("ol.staff-list", {}, found.map(row)) : nothing(t("staff.keys.none")),
    isAdmin(state) && good.length
      ? deed(state, mine, "unkey", id, good[0].key_id, {
          begin: t("staff.unkey.begin"),
          choose: pick(mine, "key", t("staff.keys"), good.map((key) => [key.key_id, key.name])),
          sure: (act) => t("staff.unkey.sure", { name: good.find((key) => key.key_id === act.amount)?.name ?? "" }),
          yes: t("staff.unkey.do"),
        })
      : null,
  );
}

/** What a deed came to, in short: the role, until when, which age. */
function detailWords(json) {
  if (!json) return "";
  const { role, until_ms: until, now } = JSON.parse(json);
  if (hasWords(`staff.role.${role}`)) return t(`staff.role.${role}`);
  if (until) return untilWords(until);
  return hasWords(`limits.band.${now}`) ? t(`limits.band.${now}`) : "";
}

/** What somebody of the staff did, to whom (but for the one whom all on this page was done to), and why. */
export function deedRow(state, one, about = "") {
  const subject = one.subject.startsWith("p_") ? h("a.staff-link", { href: hashOf("staff", "person", one.subject) }, staffName(state, one.subject)) : one.subject;
  const more = detailWords(one.detail_json);
  return h(
    "li.staff-deed",
    { key: one.entry_id, "data-deed": one.action },
    h("p.staff-row-head", {}, h("b", {}, hasWords(`staff.deed.${one.action}`) ? t(`staff.deed.${one.action}`) : one.action), h("time.soft", { datetime: new Date(one.at_ms).toISOString() }, timeWords(one.at_ms))),
    h("p", {}, staffName(state, one.staff_id), h("span.soft", {}, ` (${one.role})`), one.subject === about ? null : [" → ", subject], more ? ` · ${more}` : null),
    h("p.soft", {}, one.reason),
  );
}

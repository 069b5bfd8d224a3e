// One disputed round, whole: both sides beside each other, the deal, the record, the seats, and the decision.
import { recordFileName } from "../game/record.mjs";
import { toHex } from "../../fairdeal.mjs";
import { currentLanguage, grouped, hasWords, nameWords, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { saveText } from "./download.mjs";
import { icon } from "./icons.mjs";
import { amountWords, chips, confirmed, nothing, notice, panel, timeWords } from "./parts.mjs";
import { isBot, nameOfPlayer } from "./people.mjs";
import { gameTitle, presetTitle } from "./presets.mjs";
import { alertRow, causeWords } from "./staff.mjs";
import { fieldWords, heldWords, isReason, outcomeOf, outcomeTag, reasonField, staffName } from "./staffparts.mjs";
import { waitFor } from "./waitfor.mjs";

const SIDES = ["engine", "scoring"];

/** Describe `#staff/dispute/<round>`. */
export function disputePage(state, controls) {
  const mine = controls.pages.staff;
  const { dispute } = mine.own;
  if (!dispute?.whole) return waitFor(state, "staff.dispute", () => mine.openDispute(dispute.id));
  const { whole } = dispute;
  return [
    head(state, whole),
    seats(state, whole),
    sides(state, whole),
    differences(whole),
    explanations(state, whole),
    deal(dispute),
    record(dispute),
    match(whole),
    whole.alerts.length ? panel("alerts", t("staff.alerts"), {}, h("ol.staff-list", {}, whole.alerts.map((one) => alertRow(state, controls, one)))) : null,
    decision(state, controls, whole),
  ];
}

function head(state, { summary: one, missing, room_code }) {
  const what = [gameTitle(state, one.game), presetTitle(state, one.game, one.preset, t("room.custom")), t(one.for_coins ? "staff.for_coins" : "staff.for_points"), room_code ? t("staff.room", { code: room_code }) : ""];
  return panel(
    "dispute",
    t("staff.round", { round: one.round_id }),
    {},
    h("p.staff-row-head", {}, outcomeTag(one.outcome), h("span.soft", {}, t("staff.since", { when: timeWords(one.at_ms) }))),
    h("p", {}, what.filter(Boolean).join(" · ")),
    h("p", {}, causeWords(one), heldWords(one)),
    one.blocked_by ? notice(t("staff.blocked", { first: one.blocked_by }), "bad", { "data-blocked": "" }) : null,
    missing.length ? notice(t("staff.missing", { parts: missing.map((part) => t(`staff.part.${part}`)).join(t("comma")) }), "bad", { "data-missing": missing.join(" ") }) : null,
  );
}

function seats(state, { seats: all, summary }) {
  return panel(
    "seats",
    t("staff.seats"),
    {},
    h(
      "ol.staff-seats",
      {},
      all.map((seat) =>
        h(
          "li",
          { key: seat.seat, "data-seat": seat.seat },
          h("b", {}, `${seat.seat} `, nameOfPlayer(state, seat.player_id, seat.seat)),
          h("span.soft", {}, isBot(seat.player_id) ? t("staff.bot") : seat.player_id),
          summary.for_coins ? h("span", {}, seat.stake_state ? `${grouped(seat.stake)} · ${t(`staff.stake.${seat.stake_state}`)}` : t("staff.stake.none")) : null,
        ),
      ),
    ),
  );
}

// ---- the two words ----

function sides(state, whole) {
  const { summary, seats: all } = whole;
  const who = (seat) => nameOfPlayer(state, all[seat]?.player_id, seat);
  const names = (side) => Object.entries(JSON.parse(side.names_json || "{}")).map(([name, fan]) => `${nameWords(name, summary.game)} ${fan}`);
  const one = (key, label, of) => compared(key, label, ...SIDES.map((name) => (isKnown(whole[name]) ? of(whole[name]) : "—")));
  const rows = [
    ...all.map(({ seat }) => one(`points-${seat}`, t("staff.points.of", { who: who(seat) }), (side) => (side.points[seat] === undefined ? "—" : amountWords(side.points[seat])))),
    one("winners", t("staff.row.winners"), (side) => side.winners.map(who).join(t("comma")) || "—"),
    one("end", t("staff.row.end"), (side) => [side.end, side.how].filter(Boolean).join(" · ")),
    one("from", t("staff.row.from"), (side) => (side.from_seat < 0 ? "—" : who(side.from_seat))),
    one("huxi", t("staff.row.huxi"), (side) => String(side.huxi || "—")),
    one("fan", t("staff.row.fan"), (side) => String(side.fan || "—")),
    one("names", t("staff.row.names"), (side) => names(side).join(t("comma")) || "—"),
    ...(summary.for_coins && !outcomeOf(summary.outcome) ? all.map(({ seat }) => one(`coins-${seat}`, t("staff.coins.of", { who: who(seat) }), (side) => (side.coins.length ? amountWords(side.coins[seat]) : "—"))) : []),
  ];
  return panel(
    "sides",
    t("staff.sides"),
    {},
    h(
      "div.wide-table",
      { tabindex: "0", role: "group", "aria-label": t("staff.sides") },
      h("table.staff-sides", {}, h("thead", {}, h("tr", {}, h("td", {}), SIDES.map((name) => h("th", { key: name, scope: "col" }, t(`staff.side.${name}`))))), h("tbody", {}, rows)),
    ),
    SIDES.map((name) => sideNotice(name, whole[name])),
  );
}

const isKnown = (side) => side.points.length > 0;

/** A line of the comparison; none where neither side has anything to say. */
function compared(key, label, engine, scoring) {
  if (engine === "—" && scoring === "—") return null;
  const differs = engine !== scoring;
  return h(
    "tr",
    { key, "data-row": key, class: differs ? "differs" : "" },
    h("th", { scope: "row" }, label),
    h("td", { "data-side": "engine" }, engine),
    h("td", { "data-side": "scoring" }, scoring, differs ? h("span.staff-differs", {}, t("staff.differs")) : null),
  );
}

function sideNotice(name, side) {
  const words = [];
  if (!side.is_usable) words.push(t("staff.unusable", { side: t(`staff.side.${name}`), why: whyWords(side.unusable) }));
  if (side.again && side.again !== "same") words.push(t(`staff.again.${side.again}`, { side: t(`staff.side.${name}`) }));
  return words.length ? notice(words.join(" "), "bad", { key: `notice-${name}`, "data-unusable": name }) : null;
}

const whyWords = (why) => (hasWords(`staff.cause.${why}`) ? t(`staff.cause.${why}`) : why);

function differences({ differences: all, auditor }) {
  return panel(
    "differences",
    t("staff.differences"),
    {},
    auditor ? h("p.soft", {}, t("staff.auditor", { auditor })) : null,
    all.length
      ? h(
          "ol.staff-list",
          {},
          all.map((one, at) => h("li.staff-difference", { key: at, "data-field": one.field }, h("b", {}, fieldWords(one.field)), h("dl.staff-facts", {}, h("dt", {}, t("staff.side.engine")), h("dd", {}, one.engine), h("dt", {}, t("staff.side.scoring")), h("dd", {}, one.scoring)))),
        )
      : nothing(t("staff.differences.none")),
  );
}

function explanations(state, whole) {
  const language = currentLanguage() === "en" ? "en" : "zh";
  const lines = (name) => whole[name][`explanation_${language}`];
  return panel(
    "explanations",
    t("staff.explanations"),
    {},
    h(
      "div.staff-two",
      {},
      SIDES.map((name) =>
        h("section", { key: name, "data-explains": name, "aria-label": t(`staff.side.${name}`) }, h("h3", {}, t(`staff.side.${name}`)), lines(name).length ? h("ol.staff-lines", {}, lines(name).map((line, at) => h("li", { key: at }, line))) : nothing(t("staff.explanations.none"))),
      ),
    ),
  );
}

// ---- evidence ----

function deal({ whole, text, fair }) {
  const { deal: said } = whole;
  const facts = [
    ["heard", said.commitment_heard.length ? toHex(said.commitment_heard) : t("staff.deal.none_heard")],
    ["commitment", said.commitment || "—"],
    ["seed", said.seed || "—"],
    ...said.nonces.map((nonce, seat) => [`nonce-${seat}`, nonce === "-" ? t("staff.deal.no_nonce") : nonce]),
  ];
  const label = (key) => (key.startsWith("nonce-") ? t("staff.deal.nonce", { seat: key.slice("nonce-".length) }) : t(`staff.deal.${key}`));
  return panel(
    "deal",
    t("staff.deal"),
    {},
    notice(said.is_kept ? t("staff.deal.kept") : t("staff.deal.broken", { fields: said.fields.map(fieldWords).join(t("comma")) || t("staff.deal.unknown") }), said.is_kept ? "good" : "bad", { "data-kept": String(said.is_kept) }),
    fair ? notice(fair.ok ? t("staff.deal.here", { contributed: fair.contributed, seats: fair.seats }) : t("staff.deal.here.bad", { problems: fair.problems.join("; ") }), fair.ok ? "good" : "bad", { "data-fair": fair.ok ? "ok" : "bad" }) : text ? h("p.loading", {}, t("fair.checking")) : null,
    h("details", {}, h("summary", {}, t("staff.deal.figures")), h("dl.staff-facts.staff-hex", {}, facts.map(([key, value]) => [h("dt", { key: `t-${key}` }, label(key)), h("dd", { key }, value)]))),
  );
}

function record({ id, whole, text }) {
  if (!text) return panel("record", t("staff.record"), {}, nothing(t("staff.record.none")));
  return panel(
    "record",
    t("staff.record"),
    {},
    notice(t(whole.record_is_the_one_judged ? "staff.record.judged" : "staff.record.other"), whole.record_is_the_one_judged ? "good" : "bad", { "data-judged": String(whole.record_is_the_one_judged) }),
    h("p.staff-hex.soft", {}, t("staff.record.sha256", { hash: toHex(whole.record_sha256) })),
    h("div.page-buttons.at-start", {}, h("button.plain", { type: "button", "data-button": "save", onclick: () => saveText(recordFileName(id), text) }, icon("save"), t("record.save"))),
    h("details", {}, h("summary", {}, t("staff.record.text")), h("pre.staff-record", { tabindex: "0" }, text)),
  );
}

function match({ rounds, summary }) {
  return panel(
    "match",
    t("staff.match"),
    {},
    h(
      "ol.staff-rounds",
      {},
      rounds.map((one) =>
        h("li", { key: one.round_no, "data-round": one.round_no, "aria-current": one.round_no === summary.round_no ? "true" : null }, h("b", {}, t("staff.match.round", { round: one.round_no })), h("span", {}, t(`staff.state.${one.state}`)), h("span.soft", {}, one.coins.map(amountWords).join("  "))),
      ),
    ),
  );
}

// ---- the decision ----

function decision(state, controls, whole) {
  const { summary } = whole;
  const decided = outcomeOf(summary.outcome);
  if (decided) {
    const values = { outcome: t(`staff.outcome.${decided}`), who: staffName(state, summary.resolved_by), when: timeWords(summary.resolved_at_ms) };
    return panel("decision", t("staff.decision"), { "data-decided": decided }, notice(t("staff.decision.was", values), "good"), h("p", {}, summary.reason));
  }
  const mine = controls.pages.staff;
  const { outcome, reason, asks } = mine.own;
  const may = (side) => side === "VOID" || whole[side.toLowerCase()].is_usable;
  const options = ["ENGINE", "SCORING", "VOID"].filter(may).map((side) => [side, t(`staff.outcome.${side}`)]);
  const busy = state.busy.has("staff.resolve");
  const send = (event) => {
    event.preventDefault();
    mine.ask(true);
  };
  return panel(
    "decision",
    t("staff.decision"),
    {},
    h("p.soft", {}, t("staff.decision.words")),
    h(
      "form.page-form.staff-decide",
      { onsubmit: send },
      chips("outcome", t("staff.decision"), options, outcome, (side) => mine.choose(side)),
      outcome ? h("p", { key: "means", "data-means": outcome }, meansWords(state, whole, outcome)) : null,
      reasonField("reason", reason, (words) => mine.write(words)),
      asks
        ? confirmed(true, t("staff.decision.sure", { outcome: t(`staff.outcome.${outcome}`) }), t("staff.decide"), () => mine.resolve(), () => mine.ask(false), { busy })
        : h("div.page-buttons", { key: "send" }, h("button.primary", { type: "submit", "data-button": "decide", disabled: !outcome || !isReason(reason) || Boolean(summary.blocked_by) || busy }, t("staff.decide"))),
    ),
  );
}

/** What a decision would do to the coins of each seat. */
function meansWords(state, whole, outcome) {
  if (outcome === "VOID") return t("staff.means.VOID");
  if (!whole.summary.for_coins) return t("staff.means.points");
  const { coins } = whole[outcome.toLowerCase()];
  const each = coins.map((amount, seat) => `${nameOfPlayer(state, whole.seats[seat]?.player_id, seat)} ${amountWords(amount)}`);
  return t("staff.means.coins", { each: each.join(t("comma")) });
}

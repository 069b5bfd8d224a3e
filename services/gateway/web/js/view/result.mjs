// After a round: why it scored what it scored, what the auditor says, and whether the deal was fair.
import { currentLanguage, signed, t, tOr } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { countdown } from "./actions.mjs";
import { icon } from "./icons.mjs";
import { avatar, nameOfPlayer } from "./people.mjs";

/** Describe the result of the last round and, after the last one, of the match. */
export function resultScreen(state, controls) {
  const { table } = state;
  return h(
    "div.result-veil",
    { key: "result" },
    h(
      "section.result",
      { role: "dialog", "aria-modal": "true", "aria-label": t("result.title"), "data-verdict": table.settlement?.verdict ?? "" },
      h(
        "div.result-scroll",
        { tabindex: "0" },
        table.matchEnd ? finalTable(state) : null,
        table.roundEnd ? roundResult(state) : null,
      ),
      footer(state, controls),
    ),
  );
}

function roundResult(state) {
  const { table } = state;
  const { result } = table.roundEnd;
  return h(
    "div.round-result",
    { key: "round" },
    h("h2.result-title", { class: titleTone(table, result) }, table.face.resultTitle(state, result)),
    h(
      "div.result-columns",
      {},
      h("div.result-hand", {}, table.face.resultBody(state, result), explanation(state)),
      h("div.result-side", {}, scoreTable(state, result), h("div.verdicts", {}, auditLine(table), fairLine(state))),
    ),
    othersHands(state, result),
  );
}

function titleTone(table, result) {
  const mine = result.points[table.seat] ?? 0;
  return mine > 0 ? "won" : mine < 0 ? "lost" : "even";
}

function explanation(state) {
  const { table } = state;
  const lines = currentLanguage() === "en" ? table.roundEnd.explanation_en : table.roundEnd.explanation_zh;
  if (!lines.length) return null;
  return h("details.why", {}, h("summary", {}, t("result.why")), h("ol", {}, lines.map((line, at) => h("li", { key: at }, seatsNamed(state, line)))));
}

/** A line with the names of those who are in it: nobody knows which number his seat has. */
function seatsNamed(state, line) {
  return line.replace(/(?:座位|\bseat) (\d)/gi, (words, seat) => nameOfPlayer(state, state.table.seats[seat]?.player_id, Number(seat)) || words);
}

function scoreTable(state, result) {
  const { table } = state;
  const coins = table.settlement?.coins ?? [];
  return h(
    "table.scores",
    {},
    h("thead", {}, h("tr", {}, h("th", {}, ""), h("th", {}, t("scores.points")), table.baseStake ? h("th", {}, t("scores.coins")) : null, h("th", {}, t("scores.sum")))),
    h(
      "tbody",
      {},
      table.around.map((at) => {
        const seat = table.seats[at];
        return h(
          "tr",
          { key: at, class: result.winners.includes(at) ? "winner" : "" },
          h("th", { scope: "row" }, avatar(state, seat.player_id, at), h("span", {}, nameOfPlayer(state, seat.player_id, at))),
          h("td", { class: tone(result.points[at]) }, signed(result.points[at])),
          table.baseStake ? h("td", { class: tone(coins[at] ?? 0) }, coins.length ? signed(coins[at]) : "…") : null,
          h("td", {}, signed(table.roundEnd.scores[at] ?? seat.score)),
        );
      }),
    ),
  );
}

const tone = (value) => (value > 0 ? "plus" : value < 0 ? "minus" : "");

function auditLine(table) {
  const { settlement } = table;
  const verdict = settlement?.verdict ?? "PENDING";
  const words = t(`audit.${verdict}`, { auditor: settlement?.auditor ?? "" });
  const money = table.baseStake && verdict === "AGREED" ? (settlement.settled ? t("audit.settled") : t("audit.settling")) : "";
  return h(`p.verdict.audit`, { class: `is-${verdict.toLowerCase()}`, "data-audit": verdict }, verdict === "AGREED" ? icon("check") : h("span.spinner", { "aria-hidden": "true" }), h("span", {}, words, money ? ` · ${money}` : ""));
}

function fairLine(state) {
  const { fair } = state.ui;
  if (!fair) return h("p.verdict.fair", { "data-fair": "" }, h("span.spinner", { "aria-hidden": "true" }), t("fair.checking"));
  const bad = fair.checks.filter((check) => !check.ok).map((check) => t(`fair.check.${check.name}`));
  const words = fair.ok ? t(fair.contributed ? "fair.ok" : "fair.none", fair) : t("fair.bad", { what: bad.join(t("comma")) || fair.problems[0] });
  return h(
    "p.verdict.fair",
    { class: fair.ok ? "is-agreed" : "is-disputed", "data-fair": fair.ok ? "ok" : "bad" },
    icon(fair.ok ? "check" : "close"),
    h("span", {}, words, " ", fair.ok ? h("span.fair-checks", {}, fair.checks.map((check) => t(`fair.check.${check.name}`)).join(t("comma"))) : ""),
  );
}

function othersHands(state, result) {
  const { table } = state;
  const { hands } = table.round;
  if (!hands) return null;
  const seats = table.around.filter((at) => !result.winners.includes(at) && at !== table.seat && hands[at].length);
  return h(
    "details.hands",
    {},
    h("summary", {}, t("result.hands")),
    seats.map((at) =>
      h("div.rest-hand", { key: at }, h("span.rest-name", {}, nameOfPlayer(state, table.seats[at].player_id, at)), h("span.rest-cards", {}, table.face.cardRow(hands[at]))),
    ),
  );
}

function finalTable(state) {
  const { table } = state;
  const { scores, cause, rounds_played } = table.matchEnd;
  const order = [...table.around].sort((a, b) => scores[b] - scores[a]);
  return h(
    "div.final",
    { key: "final" },
    h("h2.result-title", {}, t("match.title")),
    h("p.final-cause", {}, tOr(`match.${cause}`, "match.other"), " · ", t("match.rounds", { rounds: rounds_played })),
    h(
      "ol.ranks",
      {},
      order.map((at, place) =>
        h(
          "li.rank",
          { key: at, class: at === table.seat ? "me" : "" },
          h("span.rank-place", {}, place === 0 && scores[at] > 0 ? icon("crown") : String(place + 1)),
          avatar(state, table.seats[at].player_id, at),
          h("span.rank-name", {}, nameOfPlayer(state, table.seats[at].player_id, at)),
          h("b", { class: tone(scores[at]) }, signed(scores[at])),
          table.baseStake ? h("span.rank-coins", {}, h("span.coin", { "aria-hidden": "true" }), String(table.seats[at].stake)) : null,
        ),
      ),
    ),
    table.roundEnd ? h("button.plain.to-round", { onclick: () => document.querySelector(".round-result")?.scrollIntoView({ block: "start" }) }, t("match.last_round"), icon("back")) : null,
  );
}

function footer(state, controls) {
  const { table } = state;
  const buttons = [];
  if (table.roundEnd?.record.length) {
    const text = () => new TextDecoder().decode(table.roundEnd.record);
    buttons.push(h("button.plain", { key: "save", onclick: () => controls.play.saveRecord(table.roundId, text()) }, icon("save"), t("record.save")));
  }
  buttons.push(h("button.plain", { key: "see", onclick: () => controls.play.showResult(false) }, icon("eye"), t("result.see_table")));
  if (table.matchEnd) {
    if (controls.lobby.lastHall) buttons.push(h("button.plain", { key: "again", onclick: () => controls.play.again() }, t("match.again")));
    buttons.push(h("button.primary", { key: "lobby", onclick: () => controls.play.toLobby() }, t("match.lobby")));
  } else if (table.paused) {
    buttons.push(h("p.footer-words", { key: "paused" }, tOr(`paused.${table.paused}`, "paused.other")));
  } else if (table.me?.ready) {
    buttons.push(h("p.footer-words", { key: "waits" }, t("result.waiting"), " ", countdown(table)));
  } else if (table.me) {
    buttons.push(h("button.primary.ready", { key: "ready", "data-action": "ready", disabled: state.busy.has("ready"), onclick: () => controls.play.ready() }, t("result.ready"), " ", countdown(table)));
  }
  return h("footer.result-foot", {}, buttons);
}

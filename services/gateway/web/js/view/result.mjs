// After a round: why it scored what it scored, what the auditor says, and whether the deal was fair.
import { endingWords } from "../control/limits.mjs";
import { placesOf } from "../game/scoresheet.mjs";
import { currentLanguage, grouped, signed, t, tOr } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { countdown } from "./actions.mjs";
import { peopleHere } from "./friends.mjs";
import { icon } from "./icons.mjs";
import { avatar, nameOfPlayer } from "./people.mjs";
import { clockFace } from "./ticker.mjs";

/** Describe the result of the last round and, after the last one, of the match; or of the round before, if it is still being read. */
export function resultScreen(now, controls) {
  const { kept } = now.ui;
  const state = kept ? { ...now, table: kept.table, ui: { ...now.ui, fair: kept.fair } } : now;
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
        table.matchEnd && table.me ? peopleHere(state, controls, table.seats.map((seat) => seat?.player_id)) : null,
        table.roundEnd ? roundResult(state, controls) : null,
      ),
      kept ? keptFooter(now, controls) : footer(state, controls),
    ),
  );
}

function roundResult(state, controls) {
  const { table } = state;
  const { result } = table.roundEnd;
  return h(
    "div.round-result",
    { key: `round-${table.roundId}` },
    h("h2.result-title", { class: titleTone(table, result) }, table.face.resultTitle(state, result)),
    h(
      "div.result-columns",
      {},
      h("div.result-hand", {}, table.face.resultBody(state, result), explanation(state, controls)),
      h("div.result-side", {}, scoreTable(state, result), h("div.verdicts", {}, auditLine(table), fairLine(state))),
    ),
    othersHands(state, controls, result),
  );
}

function titleTone(table, result) {
  const mine = result.points[table.seat] ?? 0;
  return mine > 0 ? "won" : mine < 0 ? "lost" : "even";
}

/** While a part is unfolded it is being read, and the result stays. */
const unfolds = (controls, part) => ({
  ontoggle: ({ currentTarget: node }) => {
    controls.play.read(part, node.open);
    // On a small screen it unfolds below the edge.
    if (node.open) node.scrollIntoView({ block: "start" });
  },
});

function explanation(state, controls) {
  const { table } = state;
  const { explanation_zh: zh, explanation_en: en } = table.roundEnd;
  const players = table.seats.map((seat) => seat.player_id);
  return explained(state, { zh, en }, players, unfolds(controls, "why"));
}

/** The number of the rule at the end of a line: for who reads the rules beside it, not for who plays. */
const RULE_NUMBER = / ?[（(]§[^）)]*[）)]$/;

/** Why a round scored what it scored, with the names of those who are in it: nobody knows which number his seat has. */
export function explained(state, { zh, en }, players, props) {
  const lines = currentLanguage() === "en" ? en : zh;
  if (!lines.length) return null;
  return h("details.why", props, h("summary", {}, t("result.why")), h("ol", {}, lines.map((line, at) => h("li", { key: at }, namedSeats(state, line.replace(RULE_NUMBER, ""), players)))));
}

/** A line of an explanation with names in the place of seats. */
export const namedSeats = (state, line, players) =>
  line.replace(/(?:座位|\bseat) (\d)/gi, (words, seat) => nameOfPlayer(state, players[seat], Number(seat)) || words);

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
  const settled = table.baseStake && settlement?.verdict === "AGREED" ? t(settlement.settled ? "audit.settled" : "audit.settling") : "";
  const money = settled && settlement.fees?.length ? `${settled} · ${t("result.fee", { fee: grouped(table.fee) })}` : settled;
  return auditVerdict(settlement, money);
}

/** What the auditor said; null: nothing yet. */
export function auditVerdict(said, money = "") {
  const verdict = said?.verdict ?? "PENDING";
  const words = t(`audit.${verdict}`, { auditor: said?.auditor ?? "" });
  return h(`p.verdict.audit`, { class: `is-${verdict.toLowerCase()}`, "data-audit": verdict }, verdict === "AGREED" || verdict === "DECIDED" ? icon("check") : h("span.spinner", { "aria-hidden": "true" }), h("span", {}, words, money ? ` · ${money}` : ""));
}

const fairLine = (state) => fairVerdict(state.ui.fair);

/** What the check of a deal found; null: it is under way. */
export function fairVerdict(fair) {
  if (!fair) return h("p.verdict.fair", { "data-fair": "" }, h("span.spinner", { "aria-hidden": "true" }), t("fair.checking"));
  const bad = fair.checks.filter((check) => !check.ok).map((check) => t(`fair.check.${check.name}`));
  const good = fair.isAlone ? "fair.alone" : fair.contributed ? "fair.ok" : "fair.none";
  const words = fair.ok ? t(good, fair) : t("fair.bad", { what: bad.join(t("comma")) || fair.problems[0] });
  return h(
    "p.verdict.fair",
    { class: fair.ok ? "is-agreed" : "is-disputed", "data-fair": fair.ok ? "ok" : "bad" },
    icon(fair.ok ? "check" : "close"),
    h("span", {}, words, " ", fair.ok ? h("span.fair-checks", {}, fair.checks.map((check) => t(`fair.check.${check.name}`)).join(t("comma"))) : ""),
  );
}

function othersHands(state, controls, result) {
  const { table } = state;
  const { hands } = table.round;
  if (!hands) return null;
  const seats = table.around.filter((at) => !result.winners.includes(at) && at !== table.seat && hands[at].length);
  return h(
    "details.hands",
    unfolds(controls, "hands"),
    h("summary", {}, t("result.hands")),
    seats.map((at) =>
      h("div.rest-hand", { key: at }, h("span.rest-name", {}, nameOfPlayer(state, table.seats[at].player_id, at)), h("span.rest-cards", {}, table.face.cardRow(hands[at]))),
    ),
  );
}

function finalTable(state) {
  const { table } = state;
  const { scores, cause, rounds_played } = table.matchEnd;
  return h(
    "div.final",
    { key: "final" },
    h("h2.result-title", {}, t("match.title")),
    h("p.final-cause", {}, tOr(`match.${cause}`, "match.other"), " · ", t("match.rounds", { rounds: rounds_played })),
    table.sentAway ? h("p.final-sent", { role: "alert", "data-sent-away": table.sentAway.reason }, table.sentAway[currentLanguage() === "en" ? "message_en" : "message_zh"]) : null,
    h(
      "ol.ranks",
      {},
      placesOf(scores).map(({ seat: at, place }) =>
        h(
          "li.rank",
          { key: at, class: at === table.seat ? "me" : "", "data-place": place },
          h("span.rank-place", {}, place === 1 && scores[at] > 0 ? h("span", { role: "img", "aria-label": "1" }, icon("crown")) : String(place)),
          avatar(state, table.seats[at].player_id, at),
          h("span.rank-name", {}, nameOfPlayer(state, table.seats[at].player_id, at)),
          h("b", { class: tone(scores[at]) }, signed(scores[at])),
          table.baseStake ? h("span.rank-coins", {}, h("span.coin", { "aria-hidden": "true" }), grouped(table.seats[at].stake)) : null,
        ),
      ),
    ),
    table.roundEnd ? h("button.plain.to-round", { onclick: () => document.querySelector(".round-result")?.scrollIntoView({ block: "start" }) }, t("match.last_round"), icon("back")) : null,
  );
}

function saveButton(table, controls) {
  if (!table.roundEnd?.record.length) return null;
  const text = () => new TextDecoder().decode(table.roundEnd.record);
  return h("button.plain", { key: "save", onclick: () => controls.play.saveRecord(table.roundId, text()) }, icon("save"), t("record.save"));
}

/** Below a result that is still being read: the next round is on, and whose turn it is. */
function keptFooter({ table, ui }, controls) {
  const deadline = table.question?.deadline_at_ms;
  return h(
    "footer.result-foot",
    {},
    saveButton(ui.kept.table, controls),
    h("p.footer-words", { key: "on", role: "status", class: deadline ? "urgent" : "" }, t(deadline ? "table.your_turn" : "result.next_on"), deadline ? [" ", clockFace(deadline), t("seconds")] : null),
    h("button.primary.ready", { key: "go", "data-action": "go-on", onclick: () => controls.play.goOn() }, t("result.go_on")),
  );
}

/** After the match of a friends' room: its score sheet, and once more with the same people. */
function afterRoom(state, controls) {
  const { invite } = state;
  const busy = state.busy.has("room");
  return [
    h("button.plain", { key: "sheet", "data-action": "sheet", onclick: () => controls.rooms.openSheet() }, icon("list"), t("sheet.title")),
    invite
      ? h("button.primary", { key: "accept", "data-action": "rematch", disabled: busy, onclick: () => controls.rooms.acceptInvite() }, t("room.again.asks", { who: nameOfPlayer(state, invite.owner_id) }), " · ", t("room.again.join"))
      : h("button.primary", { key: "rematch", "data-action": "rematch", disabled: busy, onclick: () => controls.rooms.rematch() }, icon("users"), t("room.again")),
  ];
}

function footer(state, controls) {
  const { table } = state;
  const buttons = [saveButton(table, controls)];
  if (state.playEnding && !table.matchEnd) buttons.push(h("p.footer-words.urgent", { key: "ending", role: "status" }, endingWords(state.playEnding)));
  buttons.push(h("button.plain", { key: "see", onclick: () => controls.play.showResult(false) }, icon("eye"), t("result.see_table")));
  if (table.matchEnd) {
    if (table.roomCode && table.me) buttons.push(...afterRoom(state, controls));
    else if (controls.lobby.lastHall) buttons.push(h("button.plain", { key: "again", onclick: () => controls.play.again() }, t("match.again")));
    buttons.push(h(table.roomCode && table.me ? "button.plain" : "button.primary", { key: "lobby", "data-action": "lobby", onclick: () => controls.play.toLobby() }, t("match.lobby")));
  } else if (table.paused) {
    buttons.push(h("p.footer-words", { key: "paused" }, tOr(`paused.${table.paused}`, "paused.other")));
    // Nobody need wait for staff: his stake does.
    if (table.paused === "ROUND_DISPUTED" && table.me && !table.me.left) buttons.push(h("button.primary", { key: "leave", "data-action": "leave", disabled: state.busy.has("leave"), onclick: () => controls.play.leave() }, t("leave.title")));
  } else if (table.me?.ready) {
    buttons.push(h("p.footer-words", { key: "waits" }, t("result.waiting"), " ", countdown(table)));
  } else if (table.me) {
    buttons.push(h("button.primary.ready", { key: "ready", "data-action": "ready", disabled: state.busy.has("ready"), onclick: () => controls.play.ready() }, t("result.ready"), " ", countdown(table)));
  }
  return h("footer.result-foot", {}, buttons);
}

// A round from the book, explained; and the rounds of one match.
import { recordFileName } from "../game/record.mjs";
import { matchOf, roundNoOf } from "../game/entries.mjs";
import { tableAt } from "../game/replay.mjs";
import { Table } from "../game/table.mjs";
import { hashOf } from "../control/router.mjs";
import { gameOf } from "../games/registry.mjs";
import { currentLanguage, grouped, nameWords, signed, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { saveText } from "./download.mjs";
import { icon } from "./icons.mjs";
import { amountWords, notice, nothing, panel, timeWords } from "./parts.mjs";
import { avatar, isBot, nameOfPlayer } from "./people.mjs";
import { gameTitle, presetTitle } from "./presets.mjs";
import { auditVerdict, fairVerdict, namedSeats } from "./result.mjs";
import { waitFor } from "./waitfor.mjs";

/** Describe `#wallet/round/<id>`. */
export function roundPage(state, controls) {
  const mine = controls.pages.wallet;
  const { round } = mine.own;
  if (round?.isGone) return notice(t("round.gone"), "plain", { "data-gone": "" });
  if (!round?.record) return waitFor(state, "wallet.round", () => mine.openRound(round.id));
  const { head, result } = round.record;
  const players = head.get("Seats").split(" ");
  return [outcome(state, controls, round, players), money(state, round, players, result), why(state, controls, round, players), proof(state, controls, round), actions(state, round, players)];
}

/** As much of the table as the heading of a result needs. */
function tableOf(state, controls, { id, record }, players) {
  const kept = controls.replay.kept(id);
  if (kept) return tableAt(kept, kept.texts.length);
  const table = new Table(matchOf(id));
  table.game = record.head.get("Game");
  table.clearRound();
  table.round.options = JSON.parse(record.head.get("Options"));
  table.seat = players.indexOf(state.playerId);
  table.seats = players.map((player_id, seat) => ({ seat, player_id }));
  return table;
}

function outcome(state, controls, round, players) {
  const { head, result } = round.record;
  const game = head.get("Game");
  const table = tableOf(state, controls, round, players);
  const names = Object.entries(JSON.parse(round.audit?.names_json || "{}"));
  return panel(
    "result",
    t("round.title", { round: roundNoOf(round.id) }),
    {},
    h("p.round-outcome", {}, gameOf(game).resultTitle({ ...state, table }, result)),
    h("p.soft", {}, [gameTitle(state, game), presetTitle(state, game, head.get("Preset"), t("room.custom")), timeWords(Number(head.get("Started")))].join(" · ")),
    names.length
      ? h("p.round-names", { "aria-label": t("round.names") }, names.map(([name, fan]) => h("span.name-tag", { key: name }, nameWords(name, game), fan ? ` ${t("round.fan", { fan })}` : "")))
      : null,
    h("a.entry-link", { href: hashOf("wallet", "match", matchOf(round.id)) }, t("wallet.see.match")),
  );
}

function money(state, round, players, result) {
  const { audit, settlement } = round;
  const options = JSON.parse(audit?.settlement_json || "{}");
  const isForCoins = audit?.for_coins ?? false;
  const isSettled = isForCoins && settlement.state === "settled" && settlement.coins.length === players.length;
  const points = pointsOf(round, result);
  const fees = players.map((_, seat) => settlement.fees?.[seat] ?? 0);
  const full = points.map((one) => one * (options.base_stake ?? 1));
  const isCapped = isSettled && !(isDisputed(audit) && !round.outcome) && full.some((one, seat) => one !== settlement.coins[seat]);
  return panel(
    "money",
    t("round.money"),
    { "data-state": isForCoins ? settlement.state : "points" },
    moneyWords(audit, settlement, options),
    round.outcome ? notice(t(`round.${round.outcome}`), "plain", { "data-outcome": round.outcome }) : null,
    h(
      "div.wide-table",
      { tabindex: "0", role: "group", "aria-label": t("round.money") },
      h(
        "table.figures",
        {},
        h("thead", {}, h("tr", {}, ["who", "points", ...(isSettled ? ["before", "coins", "fee", "net"] : [])].map((key) => h("th", { key, scope: "col" }, t(`round.col.${key}`))))),
        h(
          "tbody",
          {},
          players.map((id, seat) =>
            h(
              "tr",
              { key: seat, class: id === state.playerId ? "me" : "" },
              h("th", { scope: "row" }, h("span.figure-who", {}, avatar(state, id, seat), isBot(id) ? h("span", {}, nameOfPlayer(state, id, seat)) : h("a", { href: hashOf("statistics", id) }, nameOfPlayer(state, id, seat)))),
              cell("points", points[seat]),
              isSettled ? [cell("before", full[seat]), cell("coins", settlement.coins[seat]), cell("fee", -fees[seat]), cell("net", settlement.coins[seat] - fees[seat])] : null,
            ),
          ),
        ),
      ),
    ),
    isCapped ? notice(t("round.capped"), "plain", { "data-capped": "" }) : null,
  );
}

const isDisputed = (audit) => audit?.verdict === "VERDICT_DISPUTED";

/** The points that count: the engine's, which the auditor confirmed; or the auditor's, if staff decided so. */
function pointsOf({ outcome, audit }, result) {
  if (outcome !== "OUTCOME_SCORING" || audit.seats.length !== result.points.length) return result.points;
  return result.points.map((_, at) => audit.seats.find(({ seat }) => seat === at)?.points ?? 0);
}

const cell = (key, value) => h("td", { key, "data-col": key, class: value > 0 ? "plus" : value < 0 ? "minus" : "" }, amountWords(value));

function moneyWords(audit, settlement, options) {
  if (audit && !audit.for_coins) return h("p.soft", {}, t("round.money.points"));
  if (settlement.state === "settled") return h("p.soft", {}, t(options.win_cap_by_balance ? "round.money.how.cap" : "round.money.how", { base: grouped(options.base_stake ?? 1) }));
  if (settlement.state === "disputed") return notice(t("round.money.disputed"), "bad");
  return notice(t(settlement.state === "voided" ? "round.money.voided" : "round.money.waiting"));
}

function why(state, controls, round, players) {
  const mine = controls.pages.wallet;
  const lines = round.why?.[currentLanguage() === "en" ? "en" : "zh"];
  const again = () => mine.openRound(round.id);
  return panel(
    "why",
    t("round.why"),
    {},
    !lines ? waitFor(state, "wallet.why", again) : lines.length ? h("ol.why-lines", {}, lines.map((line, at) => h("li", { key: at }, namedSeats(state, line, players)))) : nothing(t("round.why.none")),
  );
}

/** As the table says it: a dispute that staff has decided is none any more. */
function verdictOf({ audit, settlement }) {
  if (isDisputed(audit) && settlement.state === "settled") return "DECIDED";
  if (settlement.state === "voided") return "VOIDED";
  return audit.verdict.replace("VERDICT_", "");
}

function proof(state, controls, round) {
  const said = round.audit ? { verdict: verdictOf(round), auditor: round.audit.auditor } : null;
  return panel(
    "proof",
    t("round.proof"),
    {},
    h("div.verdicts", {}, auditVerdict(said), fairVerdict(round.fair)),
    h(
      "div.page-buttons.at-start",
      {},
      h("button.plain", { key: "replay", "data-button": "replay", onclick: () => controls.replay.open(round.id) }, icon("eye"), t("replay.title")),
      h("button.plain", { key: "save", "data-button": "save", onclick: () => saveText(recordFileName(round.id), round.text) }, icon("save"), t("record.save")),
    ),
  );
}

function actions(state, round, players) {
  const face = gameOf(round.record.head.get("Game"));
  return panel(
    "actions",
    t("round.actions"),
    {},
    h(
      "details",
      {},
      h("summary", {}, t("round.actions")),
      h(
        "ol.record-actions",
        {},
        round.record.actions.map(({ seat, action, atMs, cause }, at) =>
          h("li", { key: at }, h("span.record-time", {}, `${(atMs / 1000).toFixed(1)}s`), h("b", {}, nameOfPlayer(state, players[seat], seat)), " ", face.actionWords(action), cause && cause !== "bot" ? ` (${t(`cause.${cause}`)})` : ""),
        ),
      ),
      h("pre.record-text", {}, round.text),
    ),
  );
}

/** Describe `#wallet/match/<id>`. */
export function matchPage(state, controls) {
  const mine = controls.pages.wallet;
  const { match } = mine.own;
  if (!match?.rounds) return waitFor(state, "wallet.match", () => mine.openMatch(match.id));
  const [first] = match.rounds;
  if (!first) return panel("match", t("match.page"), {}, nothing(t(match.isCut ? "match.page.cut" : "match.page.none")));
  return panel(
    "match",
    t("match.page"),
    {},
    h("p.soft", {}, gameTitle(state, first.game), " · ", presetTitle(state, first.game, first.preset, t("room.custom")), " · ", first.players.map((id, seat) => nameOfPlayer(state, id, seat)).join(t("comma"))),
    h(
      "ol.match-rounds",
      {},
      match.rounds.map((record) => {
        const points = record.points[record.players.indexOf(state.playerId)] ?? 0;
        return h(
          "li",
          { key: record.round_id },
          h(
            "a.match-round",
            { href: hashOf("wallet", "round", record.round_id) },
            h("b", {}, t("round.title", { round: roundNoOf(record.round_id) })),
            h("span.soft", {}, timeWords(record.ended_at_ms)),
            h("b.match-points", { class: points > 0 ? "plus" : points < 0 ? "minus" : "" }, signed(points)),
          ),
        );
      }),
    ),
  );
}

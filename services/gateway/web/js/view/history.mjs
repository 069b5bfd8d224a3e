// What I played: statistics, rounds, one record.
import { parseRecord, recordFileName } from "../game/record.mjs";
import { hashOf } from "../control/router.mjs";
import { gameOf } from "../games/registry.mjs";
import { currentLanguage, nameWords, signed, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { saveText } from "./download.mjs";
import { icon } from "./icons.mjs";
import { nameOfPlayer } from "./people.mjs";
import { waitFor } from "./waitfor.mjs";
import { gameTitle, presetTitle } from "./presets.mjs";
import { auditVerdict, explained, fairVerdict } from "./result.mjs";

/** Counts per preset, in a dialog. */
export function statisticsDialog(state, controls) {
  if (!state.statistics) return waitFor(state, "statistics", () => controls.lobby.openStatistics());
  return [statisticsList(state, state.statistics), plotsLink()];
}

/** The way to the page with plots. */
export const plotsLink = () => h("a.plain.link-button.plots-link", { key: "plots", href: hashOf("statistics") }, icon("chart"), t("statistics.more"));

/** Counts per preset. */
export function statisticsList(state, statistics) {
  if (!statistics.length) return h("p.nothing", {}, t("stats.none"));
  return statistics.map((one) =>
    h(
      "article.stat",
      { key: `${one.game}/${one.preset}` },
      h("h3", {}, gameTitle(state, one.game), " · ", presetTitle(state, one.game, one.preset, t("room.custom"))),
      h(
        "dl.stat-list",
        {},
        figure("stats.rounds", one.rounds),
        figure("stats.wins", one.wins),
        figure("stats.rate", one.rounds ? `${Math.round((100 * one.wins) / one.rounds)}%` : "–"),
        figure("stats.points", signed(one.points)),
        figure("stats.best", one.best_points),
        gameOf(one.game).statistics(one).map(([key, value]) => figure(key, value)),
      ),
      h("p.stat-names", {}, Object.entries(one.names).map(([name, count]) => h("span.name-tag", { key: name }, nameWords(name, one.game), " ×", String(count)))),
    ),
  );
}

const figure = (key, value) => h("div.figure", { key }, h("dt", {}, t(key)), h("dd", {}, String(value)));

const timeOf = (ms) =>
  new Date(ms).toLocaleString(currentLanguage(), { month: "numeric", day: "numeric", hour: "2-digit", minute: "2-digit" });

/** Rounds, newest first. */
export function recordsDialog(state, controls) {
  if (!state.records) return waitFor(state, "records", () => controls.lobby.openRecords());
  if (!state.records.length) return h("p.nothing", {}, t("records.none"));
  return [
    h(
      "ol.records",
      {},
      state.records.map((record) => {
        const seat = record.players.indexOf(state.playerId);
        const mine = record.points[seat] ?? 0;
        return h(
          "li.record-row",
          { key: record.round_id },
          h("span.record-when", {}, timeOf(record.ended_at_ms)),
          h("span.record-what", {}, gameTitle(state, record.game), " · ", presetTitle(state, record.game, record.preset, t("room.custom"))),
          h("span.record-who", {}, record.players.flatMap((id, at) => (id === state.playerId ? [] : [nameOfPlayer(state, id, at)])).join(t("comma"))),
          h("b.record-points", { class: mine > 0 ? "plus" : mine < 0 ? "minus" : "" }, signed(mine)),
          h("button.plain", { disabled: state.busy.has("record"), onclick: () => controls.lobby.openRecord(record.round_id) }, t("record.open")),
        );
      }),
    ),
    state.recordsNext ? h("button.plain", { onclick: () => controls.lobby.moreRecords() }, t("records.more")) : null,
  ];
}

/** One record: its answers one by one, and the text for download. */
export function recordDialog(state, controls) {
  const { roundId, text, fair } = state.dialog;
  const kept = controls.replay.kept(roundId);
  let record;
  try {
    record = parseRecord(text);
  } catch {
    return h("pre.record-text", {}, text);
  }
  const players = record.head.get("Seats").split(" ");
  const face = gameOf(record.head.get("Game"));
  return [
    h(
      "div.record-head",
      {},
      h("p", {}, t("record.round", { id: roundId })),
      h("p", {}, `${t("result.points")} `, players.map((id, seat) => h("span.record-score", { key: seat }, nameOfPlayer(state, id, seat), " ", h("b", {}, signed(record.result.points[seat]))))),
      h("button.primary", { "data-button": "replay", onclick: () => controls.replay.open(roundId) }, icon("eye"), t("replay.title")),
      h("button.plain", { onclick: () => saveText(recordFileName(roundId), text) }, icon("save"), t("record.save")),
      h("a.plain.link-button", { href: hashOf("wallet", "round", roundId) }, t("round.money")),
    ),
    kept?.why ? explained(state, kept.why, players, { open: true }) : h("p.hint", {}, t("record.no_why")),
    h("div.verdicts", {}, kept?.audit ? auditVerdict(kept.audit) : null, fairVerdict(fair)),
    h(
      "ol.record-actions",
      {},
      record.actions.map(({ seat, action, atMs, cause }, at) =>
        h("li", { key: at }, h("span.record-time", {}, `${(atMs / 1000).toFixed(1)}s`), h("b", {}, nameOfPlayer(state, players[seat], seat)), " ", face.actionWords(action), cause && cause !== "bot" ? ` (${t(`cause.${cause}`)})` : ""),
      ),
    ),
    h("details", {}, h("summary", {}, t("record.text")), h("pre.record-text", {}, text)),
  ];
}

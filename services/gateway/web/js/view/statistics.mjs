// What somebody has played: figures, plots by day, the best hand, names.
import { keyOf, seriesOf, SPANS } from "../control/statistics.mjs";
import { hashOf } from "../control/router.mjs";
import { grouped, hasWords, nameWords, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { amountWords, chips, nothing, notice, panel, timeWords } from "./parts.mjs";
import { avatar, nameOfPlayer } from "./people.mjs";
import { gameTitle, presetTitle } from "./presets.mjs";
import { dayWords, pointsPlot, roundsPlot } from "./statisticsplot.mjs";
import { ratingsPanel } from "./friendsroom.mjs";
import { waitFor } from "./waitfor.mjs";

const NAMES_SHOWN = 10;

/** Describe `#statistics` and `#statistics/<player>`. */
export function statisticsPage(state, controls) {
  const mine = controls.pages.statistics;
  const { rows, refused, chosen } = mine.own;
  if (!rows) return waitFor(state, "statistics.rows", () => mine.load());
  const one = rows.find((row) => keyOf(row) === chosen);
  return [head(state, mine), refused ? notice(t(`statistics.${refused}`), "plain", { key: "refused", "data-refused": refused }) : null, ratingsPanel(state, mine.own.ratings), one ? [figures(state, mine, one), plots(state, mine), best(state, mine, one), names(mine, one)] : null];
}

function head(state, mine) {
  const { whose, rows, chosen, isPublic, refused } = mine.own;
  const options = rows.map((one) => [keyOf(one), titleOf(state, one)]);
  const name = mine.isOwn ? state.profile?.nickname : nameOfPlayer(state, whose);
  return panel(
    "who",
    t(mine.isOwn ? "statistics.own" : "statistics.of"),
    { "data-whose": whose },
    h("div.statistics-who", {}, avatar(state, whose), h("b", {}, name ?? ""), rows.length ? h("span.soft", {}, t("statistics.rounds", { count: grouped(rows.reduce((sum, one) => sum + one.rounds, 0)) })) : null),
    mine.isOwn && !refused
      ? h(
          "div.page-switch",
          { key: "public" },
          h("button.chip", { type: "button", role: "switch", "aria-checked": String(isPublic), "data-button": "public", disabled: mine.isBusy("publish"), onclick: () => mine.publish(!isPublic) }, t(isPublic ? "statistics.public" : "statistics.private")),
          h("span.soft", {}, t(isPublic ? "statistics.public.words" : "statistics.private.words")),
        )
      : null,
    options.length > 1 ? chips("preset", t("statistics.preset"), options, chosen, (key) => mine.choose(key)) : null,
    rows.length || refused ? null : nothing(t("stats.none")),
  );
}

const titleOf = (state, one) => `${gameTitle(state, one.game)} · ${presetTitle(state, one.game, one.preset, t("room.custom"))}`;

/** A share in whole percent, and how it comes about; of nothing there is none. */
const share = (part, of) => (of ? `${Math.round((100 * part) / of)}%` : "–");
const mean = (sum, of) => (of ? amountWords(Math.round((10 * sum) / of) / 10) : "–");

function figures(state, mine, one) {
  const rows = [
    ["rounds", grouped(one.rounds), ""],
    ["rate", share(one.wins, one.rounds), t("statistics.of_rounds", { part: grouped(one.wins), all: grouped(one.rounds) })],
    ["mean", mean(one.points, one.rounds), t("statistics.sum", { points: amountWords(one.points) })],
    ["win_mean", mean(one.won_points, one.wins), ""],
    // Where all wins are one's own draw, or none can be, a share says nothing.
    ...(one.discard_rounds || one.self_draws ? [["self_share", share(one.self_draws, one.wins), t("statistics.of_wins", { part: grouped(one.self_draws), all: grouped(one.wins) })]] : []),
    ...(one.discard_rounds ? [["deal_in", share(one.deal_ins, one.rounds), t("statistics.of_rounds", { part: grouped(one.deal_ins), all: grouped(one.rounds) })]] : []),
    ["draws", share(one.draws, one.rounds), t("statistics.of_rounds", { part: grouped(one.draws), all: grouped(one.rounds) })],
    ...(one.best_huxi ? [["huxi", grouped(one.best_huxi), ""]] : []),
  ];
  return panel(
    "figures",
    titleOf(state, one),
    { "data-game": one.game, "data-preset": one.preset },
    h(
      "dl.statistics-figures",
      {},
      rows.map(([key, value, how]) => h("div", { key, "data-figure": key }, h("dt", {}, t(`statistics.figure.${key}`)), h("dd", {}, h("b", {}, value), how ? h("span.soft", {}, how) : null))),
    ),
    h("p.soft", {}, t("statistics.since", { first: timeWords(one.first_at_ms, { time: false }), last: timeWords(one.last_at_ms, { time: false }) })),
  );
}

function plots(state, mine) {
  const { chosen, span, days, last, picked } = mine.own;
  const known = days[chosen];
  const body = () => {
    const series = seriesOf(known.rows, last, span);
    if (!series.some((one) => one.rounds)) return nothing(t("statistics.none_then"));
    const at = series.find((one) => one.day === picked) ?? null;
    return [readout(at, series), pointsPlot(mine, series, at), roundsPlot(mine, series, at), table(series)];
  };
  return panel(
    "plots",
    t("statistics.days"),
    {},
    chips("span", t("statistics.span"), SPANS.map((days_) => [days_, t("statistics.days.last", { days: days_ })]), span, (to) => mine.chooseSpan(to)),
    known && known.span >= span ? body() : waitFor(state, "statistics.days", () => mine.loadDays()),
  );
}

/** What the day that is looked at brought; of none, what all together did. */
function readout(at, series) {
  const sums = { rounds: 0, wins: 0, points: 0 };
  for (const one of series) for (const key of Object.keys(sums)) sums[key] += one[key];
  const { rounds, wins, points } = at ?? sums;
  const when = at ? dayWords(at.day) : t("statistics.days.last", { days: series.length });
  return h("p.statistics-readout", { key: "readout", role: "status", "data-day": at ? at.day : "all" }, h("b", {}, when), " ", t("statistics.day", { rounds: grouped(rounds), wins: grouped(wins), points: amountWords(points) }));
}

/** The same figures for whoever does not see plots. */
function table(series) {
  const played = series.filter((one) => one.rounds).reverse();
  const heads = ["when", "rounds", "wins", "points", "sum"];
  return h(
    "details.statistics-table",
    { key: "table" },
    h("summary", {}, t("statistics.table")),
    h(
      "div.statistics-scroll",
      {},
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, heads.map((key) => h("th", { key, scope: "col" }, t(`statistics.col.${key}`))))),
        h("tbody", {}, played.map((one) => h("tr", { key: one.day }, h("th", { scope: "row" }, dayWords(one.day)), [grouped(one.rounds), grouped(one.wins), amountWords(one.points), amountWords(one.sum)].map((value, at) => h("td", { key: at }, value))))),
      ),
    ),
  );
}

/** How a hand was won, in the words of its game. */
function howWords(how) {
  const key = ["how", "mahjong.how", "statistics.how"].map((stem) => `${stem}.${how}`).find(hasWords);
  return key ? t(key) : how;
}

function best(state, mine, one) {
  const hand = one.best;
  if (!hand) return null;
  const named = Object.entries(hand.names);
  const facts = [howWords(hand.how), hand.huxi ? t("statistics.huxi", { huxi: hand.huxi }) : "", hand.fan > 1 ? t("statistics.fan", { fan: hand.fan }) : ""].filter(Boolean);
  return panel(
    "best",
    t("statistics.best"),
    { "data-round": hand.round_id },
    h("p.statistics-best", {}, h("b", {}, amountWords(hand.points)), h("span", {}, facts.join(" · "))),
    named.length ? h("p.stat-names", {}, named.map(([name, worth]) => h("span.name-tag", { key: name }, nameWords(name, one.game), worth ? ` ${t("statistics.worth", { worth })}` : ""))) : null,
    h("p.soft", {}, timeWords(hand.at_ms), mine.isOwn ? [" · ", h("a", { href: hashOf("replay", "round", hand.round_id) }, t("statistics.best.again"))] : null),
  );
}

function names(mine, one) {
  const all = Object.entries(one.names).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  if (!all.length) return null;
  const { allNames } = mine.own;
  const shown = allNames ? all : all.slice(0, NAMES_SHOWN);
  const most = all[0][1];
  return panel(
    "names",
    t("statistics.names"),
    {},
    h("p.soft", {}, t("statistics.names.words")),
    h(
      "ol.statistics-names",
      {},
      shown.map(([name, count]) =>
        h("li", { key: name, "data-name": name }, h("span", {}, nameWords(name, one.game)), h("span.statistics-bar", { "aria-hidden": "true", style: { "--part": `${(100 * count) / most}%` } }), h("b", {}, t("statistics.times", { count: grouped(count) }))),
      ),
    ),
    all.length > NAMES_SHOWN ? h("button.plain.more", { type: "button", "data-button": "names", onclick: () => mine.showNames(!allNames) }, t(allNames ? "statistics.names.fewer" : "statistics.names.all", { count: all.length })) : null,
  );
}

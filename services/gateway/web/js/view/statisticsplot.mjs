// Plots of days as SVG: a line of points, bars of rounds. The shapes stretch with the page, the words around them do not.
import { currentLanguage, grouped, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { amountWords } from "./parts.mjs";

const DAY_MS = 86_400_000;
/** Of the drawing; it is stretched to the room there is. */
const WIDE = 1000;
const HIGH = 200;

/** A day in words: 11月29日. */
export const dayWords = (day) => new Date(day * DAY_MS).toLocaleDateString(currentLanguage(), { month: "short", day: "numeric", timeZone: "UTC" });

/** Round marks for an axis from `low` to `high`, both within, and never only one: a few, of 1, 2 or 5 times a power of ten. */
export function marks(low, high, most = 4) {
  const span = Math.max(1, high - low);
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough));
  const from = Math.floor(low / step) * step;
  const found = [];
  for (let mark = from; mark < low + span + step; mark += step) found.push(mark);
  return found;
}

/** Points won and lost, summed up from the first day of the span. */
export function pointsPlot(mine, series, at) {
  const sums = series.map((one) => one.sum);
  const ticks = marks(Math.min(0, ...sums), Math.max(0, ...sums));
  const [low, high] = [ticks[0], ticks.at(-1)];
  const y = (value) => HIGH - (HIGH * (value - low)) / (high - low);
  const x = middleOf(series);
  const line = series.map((one, index) => `${index ? "L" : "M"}${x(index)} ${y(one.sum).toFixed(1)}`).join("");
  const area = `${line}L${x(series.length - 1)} ${y(0).toFixed(1)}L${x(0)} ${y(0).toFixed(1)}Z`;
  return plot(mine, series, at, { name: "points", ticks, y, words: amountWords }, [
    h("path.plot-area", { key: "area", d: area }),
    h("path.plot-zero", { key: "zero", d: `M0 ${y(0).toFixed(1)}H${WIDE}` }),
    h("path.plot-line", { key: "line", d: line }),
  ], at ? y(at.sum) / HIGH : null);
}

/** Rounds of each day, the won ones below. */
export function roundsPlot(mine, series, at) {
  const ticks = marks(0, Math.max(1, ...series.map((one) => one.rounds)), 3);
  const high = ticks.at(-1);
  const y = (value) => HIGH - (HIGH * value) / high;
  const slot = WIDE / series.length;
  const bar = (one, index, from, to, kind) => (to > from ? h(`rect.${kind}`, { key: `${kind}${one.day}`, x: (index * slot + slot * 0.14).toFixed(1), width: (slot * 0.72).toFixed(1), y: y(to).toFixed(1), height: (y(from) - y(to)).toFixed(1) }) : null);
  const bars = series.map((one, index) => [bar(one, index, 0, one.wins, "plot-won"), bar(one, index, one.wins, one.rounds, "plot-lost")]);
  return plot(mine, series, at, { name: "rounds", ticks, y, words: grouped }, bars, null, [["plot-won", t("statistics.won")], ["plot-lost", t("statistics.not_won")]]);
}

const middleOf = (series) => (index) => ((index + 0.5) * WIDE) / series.length;

/** The frame of a plot: its title, the axis, the drawing, the days below; a pointer or the arrow keys look at a day. */
function plot(mine, series, at, { name, ticks, y, words }, drawing, dot = null, legend = []) {
  const index = at ? series.indexOf(at) : -1;
  const left = index < 0 ? 0 : (100 * (index + 0.5)) / series.length;
  const lookAt = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * series.length);
    mine.pick(series[Math.min(series.length - 1, Math.max(0, place))].day);
  };
  const onkeydown = (event) => {
    if (mine.step(event.key)) event.preventDefault();
  };
  const title = t(`statistics.plot.${name}`);
  return h(
    "figure.plot",
    { key: name, "data-plot": name },
    h("figcaption", {}, h("b", {}, title), legend.map(([kind, said]) => h("span.plot-legend", { key: kind }, h("span.plot-swatch", { class: kind, "aria-hidden": "true" }), said))),
    h(
      "div.plot-grid",
      {},
      h("div.plot-axis", { "aria-hidden": "true" }, ticks.map((tick) => h("span", { key: tick, style: { top: `${(100 * y(tick)) / HIGH}%` } }, words(tick)))),
      h(
        "div.plot-room",
        { tabindex: "0", role: "img", "aria-label": t("statistics.plot.about", { title, from: dayWords(series[0].day), to: dayWords(series.at(-1).day) }), onpointermove: lookAt, onpointerdown: lookAt, onpointerleave: (event) => (event.pointerType === "mouse" ? mine.pick(null) : undefined), onkeydown, onblur: () => mine.pick(null) },
        h(
          "svg.plot-drawing",
          { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
          ticks.map((tick) => h("path.plot-rule", { key: `rule${tick}`, d: `M0 ${y(tick).toFixed(1)}H${WIDE}` })),
          drawing,
        ),
        index < 0 ? null : h("span.plot-cursor", { key: "cursor", "aria-hidden": "true", style: { left: `${left}%` } }),
        index < 0 || dot === null ? null : h("span.plot-dot", { key: "dot", "aria-hidden": "true", style: { left: `${left}%`, top: `${100 * dot}%` } }),
      ),
      h("div.plot-days", { "aria-hidden": "true" }, [series[0], series[Math.floor((series.length - 1) / 2)], series.at(-1)].map((one, place) => h("span", { key: place }, dayWords(one.day)))),
    ),
  );
}

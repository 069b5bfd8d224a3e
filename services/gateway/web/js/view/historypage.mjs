// The rounds of this player: by filters, with favourites, each to be looked at again; and a record from a file.
import { hashOf } from "../control/router.mjs";
import { signed, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { chips, more, nothing, panel, timeWords } from "./parts.mjs";
import { nameOfPlayer } from "./people.mjs";
import { catalogue, gameTitle, presetTitle, presetsOf } from "./presets.mjs";
import { uploadPanel } from "./replaypage.mjs";
import { waitFor } from "./waitfor.mjs";

/** Describe `#history`. */
export function historyPage(state, controls) {
  const mine = controls.pages.history;
  return [filtersPanel(state, mine), roundsPanel(state, controls, mine), uploadPanel(state, controls)];
}

const anything = (options, words) => [["", t(words)], ...options];

function filtersPanel(state, mine) {
  const { filters } = mine.own;
  const games = (state.games ?? []).map((one) => [one.game, gameTitle(state, one.game)]);
  const isFiltered = Object.values(filters).some(Boolean);
  const day = (name, words) =>
    h("label.page-field.history-day", { key: name }, h("span.field-label", {}, t(words)), h("input.field-input", { type: "date", name, "data-field": name, value: filters[name], onchange: ({ currentTarget }) => mine.filter({ [name]: currentTarget.value }) }));
  return panel(
    "filters",
    t("history.filters"),
    {},
    chips("game", t("history.game"), anything(games, "history.all.games"), filters.game, (game) => mine.filter({ game })),
    filters.game ? presetChips(state, mine) : null,
    h(
      "div.history-row",
      { key: "row" },
      chips("ending", t("history.ending"), anything([["ENDING_WON", t("history.won")], ["ENDING_LOST", t("history.lost")], ["ENDING_EVEN", t("history.even")]], "history.all"), filters.ending, (ending) => mine.filter({ ending })),
      chips("place", t("history.place"), anything([["PLACE_HALL", t("history.hall")], ["PLACE_ROOM", t("history.room")]], "history.all.places"), filters.place, (place) => mine.filter({ place })),
    ),
    h(
      "div.history-row",
      { key: "days" },
      day("from", "history.from"),
      day("to", "history.to"),
      h("button.chip", { key: "stars", type: "button", role: "switch", "aria-checked": String(filters.favourites), "data-chip": "favourites", onclick: () => mine.filter({ favourites: !filters.favourites }) }, icon("star"), t("history.favourites")),
      opponents(state, mine),
      isFiltered ? h("button.plain", { key: "clear", type: "button", "data-button": "clear", onclick: () => mine.clear() }, t("history.clear")) : null,
    ),
  );
}

function presetChips(state, mine) {
  const { game, preset } = mine.own.filters;
  const known = (catalogue(state, game)?.presets ?? []).map((one) => one.preset);
  const options = [...presetsOf(state, game, known).map((one) => [one.preset, one.title]), ["custom", t("room.custom")]];
  return chips("preset", t("history.preset"), anything(options, "history.all.presets"), preset, (chosen) => mine.filter({ preset: chosen }));
}

function roundsPanel(state, controls, mine) {
  const { rounds, next, filters } = mine.own;
  const isFiltered = Object.values(filters).some(Boolean);
  return panel(
    "rounds",
    t("history.title"),
    { "data-count": rounds?.length ?? "" },
    rounds === null ? waitFor(state, "history.rounds", () => mine.load()) : null,
    rounds?.length === 0 ? nothing(t(isFiltered ? "history.none" : "records.none")) : null,
    rounds?.length ? h("ol.history", {}, rounds.map((round) => roundLine(state, controls, mine, round))) : null,
    more(state, "history.more", next, () => mine.more()),
  );
}

function roundLine(state, controls, mine, round) {
  const made = round.points[round.seat] ?? 0;
  const words = t(round.is_favourite ? "replay.unstar" : "replay.star");
  return h(
    "li.history-round",
    { key: round.round_id, "data-round": round.round_id },
    h("b.history-points", { class: made > 0 ? "plus" : made < 0 ? "minus" : "" }, signed(made)),
    h(
      "div.history-what",
      {},
      h("p", {}, h("b", {}, gameTitle(state, round.game)), " · ", presetTitle(state, round.game, round.preset, t("room.custom")), place(round)),
      h("p.soft", {}, timeWords(round.ended_at_ms), " · ", people(state, round)),
      round.note ? h("p.history-note", {}, round.note) : null,
    ),
    h("button.icon-button.star", { "data-button": "star", "aria-pressed": String(round.is_favourite), "aria-label": words, title: words, disabled: mine.isBusy(`star.${round.round_id}`), onclick: () => mine.star(round) }, icon("star")),
    h("a.primary.link-button", { "data-button": "replay", href: hashOf("replay", "round", round.round_id), onclick: (event) => openIt(event, controls, round) }, icon("eye"), t("replay.title")),
  );
}

/** A plain click goes by the page's own way, which knows the way back. */
function openIt(event, controls, round) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  controls.replay.open(round.round_id);
}

function place({ place: where, room_code }) {
  if (where === "PLACE_ROOM") return h("span.name-tag", { key: "place" }, t("history.room.code", { code: room_code }));
  return where === "PLACE_HALL" ? h("span.name-tag", { key: "place" }, t("history.hall")) : null;
}

/** Who sat there too. */
function people(state, round) {
  return round.players
    .map((id, seat) => [id, seat])
    .filter(([, seat]) => seat !== round.seat)
    .map(([id, seat]) => nameOfPlayer(state, id, seat))
    .join(t("comma"));
}

/** With whom: the people of the rounds that have been seen here. */
function opponents(state, mine) {
  const { met, filters } = mine.own;
  if (!met.length) return null;
  return h(
    "label.page-field.history-day",
    { key: "with" },
    h("span.field-label", {}, t("history.with")),
    h(
      "select.field-input",
      { name: "opponent", "data-field": "opponent", onchange: ({ currentTarget }) => mine.filter({ opponent: currentTarget.value }) },
      [["", t("history.with.all")], ...met.map((id) => [id, nameOfPlayer(state, id)])].map(([value, words]) => h("option", { key: value, value, selected: value === filters.opponent }, words)),
    ),
  );
}

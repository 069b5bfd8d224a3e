// Live tables to watch, and the strip that a watched table wears.
import { ANY_RATING, NEWEST, RATINGS, VIEWERS, lastPlay } from "../control/watch.mjs";
import { compact, grouped, localised, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { chips, field, more, nothing } from "./parts.mjs";
import { avatar, nameOfPlayer } from "./people.mjs";
import { gameTitle, presetTitle } from "./presets.mjs";
import { clockFace } from "./ticker.mjs";
import { waitFor } from "./waitfor.mjs";

/** Describe the page `#watch`. */
export function watchPage(state, controls) {
  const mine = controls.pages.watch;
  return [filters(state, mine), list(state, mine)];
}

function filters(state, mine) {
  const { own } = mine;
  const games = [...new Set((state.halls ?? []).map((hall) => hall.game))];
  const halls = (state.halls ?? []).filter((hall) => hall.game === own.game);
  return h(
    "section.panel.watch-filters",
    { key: "filters", "aria-label": t("watch.filters") },
    chips("game", t("games.title"), [["", t("watch.all")], ...games.map((game) => [game, gameTitle(state, game)])], own.game, (game) => mine.filter({ game })),
    h(
      "div.watch-fields",
      {},
      halls.length
        ? field("hall", {
            label: t("watch.hall"),
            tag: "select",
            fill: own.hall,
            options: [["", t("watch.halls.all")], ...halls.map((hall) => [hall.hall_id, localised(hall)])],
            onchange: (event) => mine.filter({ hall: event.target.value }),
          })
        : null,
      field("ratings", {
        label: t("watch.rating"),
        tag: "select",
        fill: own.ratings,
        options: RATINGS.map((range) => [range, ratingRange(range)]),
        onchange: (event) => mine.filter({ ratings: event.target.value }),
      }),
      finder(mine),
    ),
    chips("friends", t("watch.who"), [[false, t("watch.who.all")], [true, t("friends.title")]], own.friends, (friends) => mine.filter({ friends })),
    chips("order", t("watch.order"), [[VIEWERS, t("watch.order.viewers")], [NEWEST, t("watch.order.newest")]], own.order, (order) => mine.filter({ order })),
  );
}

function ratingRange(range) {
  const [least, most] = range.split("-").map(Number);
  if (range === ANY_RATING) return t("watch.rating.any");
  return least ? (most ? `${least} – ${most}` : t("watch.rating.from", { rating: least })) : t("watch.rating.below", { rating: most + 1 });
}

/** The table of somebody one knows. */
function finder(mine) {
  const submit = (event) => {
    event.preventDefault();
    mine.find(new FormData(event.target).get("player"));
  };
  return h(
    "form.watch-finder",
    { key: "finder", onsubmit: submit },
    field("player", { label: t("watch.player"), fill: mine.own.player, maxlength: 64, placeholder: "p_…" }),
    h("button.plain", { type: "submit" }, t("watch.find")),
  );
}

function list(state, mine) {
  const { tables, total, next } = mine.own;
  if (!tables) return waitFor(state, "watch.tables", () => mine.load());
  if (!tables.length) return h("section.panel", { key: "none" }, nothing(noneWords(mine.own)), leftOut(mine.own));
  return h(
    "section.watch-list",
    { key: "list", "aria-label": t("watch.title") },
    h("p.soft.watch-total", {}, t("watch.total", { count: total })),
    leftOut(mine.own),
    h("ul.watch-rows", {}, tables.map((table) => row(state, mine, table))),
    more(state, "watch.more", next, () => mine.loadMore()),
  );
}

const noneWords = ({ player, friends }) => t(player ? "watch.none.player" : friends ? "watch.none.friends" : "watch.none");

/** Tables that a bound on ratings leaves out although they might fit. */
const leftOut = ({ unrated }) => (unrated ? h("p.soft", { key: "unrated", "data-unrated": String(unrated) }, t("watch.unrated", { count: unrated })) : null);

/** Whether somebody plays at a table himself: he looks on nowhere else. */
export const atTable = ({ table }) => table !== null && table.me !== null && !table.matchEnd;

function row(state, mine, table) {
  const sits = table.player_ids.includes(state.playerId);
  const hall = state.halls?.find((one) => one.hall_id === table.hall_id);
  return h(
    "li.watch-row",
    { key: table.table_id, "data-table": table.table_id },
    h(
      "div.watch-head",
      {},
      h("b", {}, gameTitle(state, table.game)),
      h("span.soft", {}, hall ? localised(hall) : presetTitle(state, table.game, table.preset, t("room.custom"))),
      table.viewers ? h("span.watch-eyes", { "aria-label": t("watch.viewers", { count: table.viewers }), role: "img" }, icon("eye"), compact(table.viewers)) : null,
    ),
    h(
      "ul.watch-people",
      {},
      table.player_ids.map((player, seat) => h("li", { key: String(seat) }, avatar(state, player, seat), h("span.watch-name", {}, nameOfPlayer(state, player, seat)))),
    ),
    h(
      "div.watch-foot",
      {},
      h(
        "p.soft",
        {},
        [
          t("table.round", { now: table.round_no || 1, all: table.rounds }),
          table.base_stake ? t("hall.stake", { stake: grouped(table.base_stake) }) : t("watch.points"),
          table.rating ? t("watch.rating.of", { rating: table.rating }) : "",
          table.is_room ? t("watch.room") : "",
          table.delay_ms ? t("watch.late", { seconds: secondsOf(table.delay_ms) }) : t("watch.live"),
        ]
          .filter(Boolean)
          .join(" · "),
      ),
      sits
        ? h("span.tag", {}, t("watch.own"))
        : h("button.primary", { "data-button": "watch", disabled: atTable(state), onclick: () => mine.watch(table.table_id) }, icon("eye"), t(table.needs_leave ? "watch.ask" : "watch.go")),
    ),
  );
}

const secondsOf = (ms) => Math.round(ms / 1000);

/** What is said above a table that is watched, and the number of viewers at one's own. */
export function watchStrip(state, controls) {
  const { table } = state;
  const { viewers, delay_ms, begins_at_ms } = table.watching;
  if (!controls.play.watches || table.seat >= 0 || table.watching.waits) return null;
  const waits = begins_at_ms > state.clock.now();
  return h(
    "aside.watch-strip",
    { key: "watch", "aria-label": t("watch.strip") },
    h("span.watch-mark", {}, icon("eye"), h("b", { "aria-label": t("watch.viewers", { count: viewers }) }, compact(viewers))),
    h("span.watch-words", {}, delay_ms ? t("watch.late", { seconds: secondsOf(delay_ms) }) : t("watch.live")),
    waits ? h("span.watch-begins", { role: "status" }, t("watch.begins"), clockFace(begins_at_ms), t("seconds")) : like(state, controls),
    h("button.watch-leave", { "data-button": "leave", onclick: () => controls.pages.watch.leave() }, t("watch.leave")),
  );
}

function like(state, controls) {
  const play = lastPlay(state.table);
  const { likes, mine } = state.table.watching;
  const count = play ? (likes.get(play.key) ?? 0) : 0;
  const isMine = Boolean(play) && mine.has(play.key);
  return h(
    "button.watch-like",
    {
      key: "like",
      "data-button": "like",
      "aria-pressed": String(isMine),
      "aria-label": t("watch.like.title", { count }),
      title: t("watch.like.title", { count }),
      disabled: !play || controls.pages.watch.isBusy("like"),
      onclick: () => controls.pages.watch.like(),
    },
    icon("heart"),
    h("span", {}, count ? compact(count) : t("watch.like")),
  );
}

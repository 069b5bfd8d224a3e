// The lobby: who I am, what I have, where I can play.
import { compact, currentLanguage, grouped, localised, t } from "../lib/i18n.mjs";
import { gameOf } from "../games/registry.mjs";
import { bestHall, whyClosed } from "../game/halls.mjs";
import { goldIn } from "../game/wallet.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { avatar, avatarPicture } from "./people.mjs";
import { catalogue, gameTitle, presetsOf } from "./presets.mjs";
import { friendStrip } from "./friends.mjs";
import { inviteStrip, roomPanel } from "./room.mjs";
import { waitFor } from "./waitfor.mjs";
import { clockFace } from "./ticker.mjs";

/** Narrower than this, a large sum is shown short; the wallet has it in full. */
const NARROW_PX = 480;

/** Describe the lobby. */
export function lobby(state, controls) {
  return h(
    "main.lobby",
    { key: "lobby" },
    header(state, controls),
    state.awayTable ? away(state, controls) : null,
    inviteStrip(state, controls),
    friendStrip(state, controls),
    state.room ? roomPanel(state, controls) : state.ticket ? waitPanel(state, controls) : halls(state, controls),
  );
}

function header(state, controls) {
  const gold = goldIn(state.wallet);
  const due = state.signIn && !state.signIn.signed_in;
  return h(
    "header.lobby-head",
    { key: "head" },
    h(
      "button.who",
      { onclick: () => controls.dialog({ kind: "pages" }), "aria-label": t("pages.title"), "aria-haspopup": "dialog" },
      state.profile ? avatar(state, state.profile.player_id) : avatarPicture("a01"),
      h("span.who-name", {}, state.profile?.nickname ?? "…"),
      h("span.who-more", { "aria-hidden": "true" }, icon("menu")),
    ),
    h("a.gold", { href: "#wallet", "aria-label": `${t("wallet.title")} ${t("wallet.gold")} ${gold ?? ""}` }, h("span.coin", { "aria-hidden": "true" }), gold === undefined ? "…" : gold < (innerWidth < NARROW_PX ? 1e5 : 1e8) ? grouped(gold) : compact(gold)),
    h(
      "nav.head-buttons",
      {},
      headButton("gift", t("signin.title"), () => controls.dialog({ kind: "signin" }), due),
      headButton("users", t("friends.title"), () => controls.router.go("friends"), state.friendAsks > 0),
      headButton("list", t("records.title"), () => controls.lobby.openRecords()),
      headButton("chart", t("stats.title"), () => controls.lobby.openStatistics()),
      headButton("gear", t("settings.title"), () => controls.dialog({ kind: "settings" })),
    ),
  );
}

function headButton(name, words, onclick, marked = false) {
  return h("button.head-button", { onclick, key: name, "data-button": name, "aria-label": words, class: marked ? "marked" : "" }, icon(name), h("span.head-word", {}, words));
}

function away(state, controls) {
  return h(
    "div.away",
    { key: "away" },
    h("span", {}, t("away.words")),
    h("button.primary", { onclick: () => controls.play.enter(state.awayTable) }, t("away.back")),
  );
}

function halls(state, controls) {
  if (!state.halls) return waitFor(state, "halls", () => controls.lobby.loadAll());
  const games = [...new Set(state.halls.map((hall) => hall.game))];
  const ours = state.halls.filter((hall) => hall.game === state.game);
  const presets = [...new Set(ours.map((hall) => hall.preset))];
  const mine = ours.filter((hall) => hall.preset === state.preset);
  const waits = waitsForGold(state);
  return h(
    "div.lobby-body",
    { key: "halls" },
    games.length > 1 ? gameTabs(state, controls, games) : null,
    h(
      "section.quick",
      { "aria-label": t("quick.title") },
      bigButton("bots", "robot", t("quick.bots"), t("quick.bots.hint"), () => mine[0] && controls.lobby.match(bestHall(mine, goldIn(state.wallet)).hall_id, true), waits),
      bigButton("match", "users", t("quick.match"), t("quick.match.hint"), () => mine[0] && controls.lobby.match(bestHall(mine, goldIn(state.wallet)).hall_id, false), waits),
      bigButton("create", "crown", t("room.create"), t("room.create.hint"), () => controls.dialog({ kind: "create" })),
      bigButton("join", "eye", t("room.join"), t("room.join.hint"), () => controls.dialog({ kind: "join", code: "" })),
    ),
    h(
      "section.halls",
      { "aria-label": t("halls.title") },
      h(
        "div.presets",
        { role: "tablist", "aria-label": t("halls.title") },
        presetsOf(state, state.game, presets).map(({ preset, title }) =>
          h(
            "button.preset-tab",
            {
              key: preset,
              role: "tab",
              "aria-selected": String(preset === state.preset),
              onclick: () => controls.change((s) => (s.preset = preset)),
            },
            title,
          ),
        ),
      ),
      h("div.hall-list", {}, mine.map((hall) => hallCard(state, controls, hall))),
      presetFacts(state, controls),
    ),
    h("div.fan", { "aria-hidden": "true" }, gameOf(state.game).emblem()),
  );
}

function gameTabs(state, controls, games) {
  return h(
    "div.games",
    { key: "games", role: "tablist", "aria-label": t("games.title") },
    games.map((game) =>
      h(
        "button.game-tab",
        { key: game, role: "tab", "data-game": game, "aria-selected": String(game === state.game), onclick: () => controls.lobby.chooseGame(game) },
        h("span.game-name", {}, gameTitle(state, game)),
        h("span.game-seats", {}, t("game.seats", { count: catalogue(state, game)?.seats ?? "…" })),
      ),
    ),
  );
}

/** What sets the chosen rules apart, in one line. */
function presetFacts(state, controls) {
  const { options } = presetsOf(state, state.game, [state.preset])[0];
  const facts = gameOf(state.game).facts(options);
  if (!facts.length) return null;
  return h(
    "p.preset-facts",
    { key: "facts" },
    h("span", {}, facts.join(" · ")),
    h("button.plain", { onclick: () => controls.dialog({ kind: "rules" }) }, t("rules.title")),
  );
}

/** Whether it is not known yet what the player can afford; with a wallet that cannot be loaded, the service decides. */
const waitsForGold = (state) => state.wallet === null && !state.failed.has("wallet");

const spinner = () => h("span.spinner", { role: "img", "aria-label": t("loading") });

function bigButton(key, name, title, hint, onclick, waits = false) {
  return h(`button.big-button.big-${key}`, { key, onclick, disabled: waits }, waits ? spinner() : icon(name), h("span.big-title", {}, title), h("span.big-hint", {}, hint));
}

/** In words short enough for a card; the page of the halls has them whole. */
const CLOSED = { COINS_TOO_FEW: "hall.short", COINS_TOO_MANY: "hall.long" };

function hallCard(state, controls, hall) {
  const gold = goldIn(state.wallet);
  const reason = whyClosed(hall, gold);
  const said = currentLanguage() === "en" ? hall.refusal_en : hall.refusal_zh;
  const entry = hall.entry_max
    ? t("hall.entry.range", { low: grouped(hall.entry_min), high: grouped(hall.entry_max) })
    : t("hall.entry", { low: grouped(hall.entry_min) });
  const waits = waitsForGold(state);
  const busy = waits || state.busy.has("ticket");
  return h(
    "article.hall",
    { key: hall.hall_id, class: reason ? "closed" : "" },
    h("h3", {}, localised(hall)),
    h("p.hall-stake", {}, t("hall.stake", { stake: grouped(hall.base_stake) })),
    h("p.hall-facts", {}, entry, " · ", t("hall.rounds", { rounds: hall.rounds }), hall.fee ? ` · ${t("hall.fee", { fee: grouped(hall.fee) })}` : "", hall.waiting ? ` · ${t("hall.waiting", { count: hall.waiting })}` : ""),
    reason
      ? h("p.hall-closed", {}, CLOSED[reason] ? t(CLOSED[reason]) : said, " ", h("a.hall-link", { href: "#halls" }, t("halls.all")))
      : h(
          "div.hall-buttons",
          {},
          h("button.primary", { disabled: busy, onclick: () => controls.lobby.match(hall.hall_id, false) }, waits ? spinner() : t("hall.match")),
          h("button.plain", { disabled: busy, onclick: () => controls.lobby.match(hall.hall_id, true) }, t("hall.bots")),
        ),
  );
}

function waitPanel(state, controls) {
  const { ticket } = state;
  const hall = state.halls?.find((one) => one.hall_id === ticket.hall_id);
  return h(
    "section.wait",
    { key: "wait", "aria-live": "polite" },
    h("div.wait-cards", { "aria-hidden": "true" }, [0, 1, 2].map((at) => h("span.wait-card", { key: at, style: { "--at": String(at) } }))),
    h("h2", {}, t("ticket.waiting")),
    hall ? h("p", {}, localised(hall)) : null,
    ticket.bots_at_ms ? h("p", {}, t("ticket.bots.before"), clockFace(ticket.bots_at_ms), t("ticket.bots.after")) : null,
    h("button.plain", { disabled: state.busy.has("cancel"), onclick: () => controls.lobby.cancelTicket() }, t("ticket.cancel")),
  );
}

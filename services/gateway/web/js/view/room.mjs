// A friends' room before its match: code, link, what is agreed on, who sits where; and what its dialogs say.
import { linkTo, placeOf } from "../control/rooms.mjs";
import { grouped, localised, t, tOr } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { copyText } from "./download.mjs";
import { friendsToInvite } from "./friendsroom.mjs";
import { icon } from "./icons.mjs";
import { optionWords } from "./optionvalue.mjs";
import { notice, panel, timeWords } from "./parts.mjs";
import { avatar, isBot, nameOfPlayer } from "./people.mjs";
import { catalogue, changesOf, gameTitle, presetsOf } from "./presets.mjs";
import { waitFor } from "./waitfor.mjs";
import { atTable } from "./watch.mjs";

const LEVELS = ["easy", "normal", "hard"];
const isOwner = (state, room) => room.owner_id === state.playerId;
const levelOf = (playerId) => playerId.slice("bot:".length);

/** Describe the room that this player is in. */
export function roomPanel(state, controls) {
  const { room } = state;
  const mine = placeOf(room, state.playerId);
  const owner = isOwner(state, room);
  const busy = state.busy.has("room");
  return h(
    "section.room",
    { key: "room", "aria-label": t("room.title") },
    h(
      "div.room-head",
      {},
      h("p.room-label", {}, t("room.code")),
      h("p.room-code", { "aria-label": room.room_code }, [...room.room_code].map((digit, at) => h("span.digit", { key: at }, digit))),
      h(
        "div.room-share",
        {},
        h("button.plain.copy", { "data-button": "copy", onclick: () => copy(controls, room.room_code, "room.copied") }, icon("copy"), t("room.copy")),
        h("button.plain", { "data-button": "share", onclick: () => share(controls) }, icon("share"), t("room.invite")),
      ),
    ),
    facts(state, room),
    room.refusal ? notice(tOr(`room.refused.${room.refusal}`, "room.refused"), "bad", { "data-refusal": room.refusal }) : null,
    wishes(state, controls, busy),
    h("div.places", {}, room.places.map((place) => placeView(state, controls, place))),
    owner && room.places.some((place) => !place.player_id) && !room.level ? botLevels(state, controls) : null,
    h(
      "div.room-buttons",
      {},
      mine ? h("button.primary", { "data-button": "ready", disabled: busy, onclick: () => controls.rooms.setReady(!mine.ready) }, t(mine.ready ? "room.unready" : "room.ready")) : null,
      owner ? h("button.plain", { "data-button": "change", onclick: () => controls.dialog({ kind: "change" }) }, t("room.change")) : null,
      h("button.plain", { "data-button": "rules", onclick: () => controls.dialog({ kind: "rules" }) }, t("rules.title")),
      h("button.plain", { "data-button": "leave", onclick: () => controls.rooms.leave() }, t("room.leave")),
      owner && others(room, state.playerId).length ? h("button.plain", { "data-button": "close", onclick: () => controls.dialog({ kind: "close" }) }, t("room.close")) : null,
    ),
    h("p.room-expiry", {}, t("room.expires", { when: timeWords(room.expires_at_ms, { date: false }) })),
  );
}

const others = (room, playerId) => room.places.filter((place) => place.player_id && !isBot(place.player_id) && place.player_id !== playerId);

/** What is played, and what else is agreed on. */
function facts(state, room) {
  const [preset] = presetsOf(state, room.game, [room.preset]);
  return h(
    "div.room-facts",
    {},
    h("p.room-played", {}, gameTitle(state, room.game), " · ", preset?.title ?? room.preset, " · ", lengthWords(room), changedRules(state, room)),
    h("p.room-agreed", {}, agreedWords(state, room).map((words) => h("span.agreed", { key: words }, words))),
  );
}

/** How long a match lasts. */
export const lengthWords = (room) => (room.rules?.to_score ? t("room.to_score", { score: room.rules.to_score }) : t("hall.rounds", { rounds: room.rounds }));

/** The key of what is agreed on about talking. */
export const voiceWords = (voice) => (voice ? "room.voice.yes" : "room.voice.no");

/** What a room has agreed on, one text each. */
export function agreedWords(state, room) {
  const rules = room.rules ?? {};
  const hall = state.halls?.find((one) => one.game === room.game && one.preset === room.preset && one.level === room.level);
  const stake = room.level ? t("room.for_gold", { level: hall ? localised(hall, "level") : room.level, stake: grouped(room.base_stake) }) : t("room.for_points");
  const pays = room.cards ? t(`room.pays.${rules.payer || "owner"}`, { count: room.cards }) : t("room.pays.nothing");
  return [stake, pays, t(`room.chat.${rules.chat || "all"}`), t(voiceWords(rules.voice)), t(`room.watching.${rules.watching || "no"}`)];
}

/** What the owner has changed, so that nobody is ready for rules he does not know. */
function changedRules(state, room) {
  const changes = Object.entries(changesOf(room));
  if (!changes.length) return null;
  const known = new Map(catalogue(state, room.game)?.options.map((option) => [option.name, option]));
  const words = changes.filter(([name]) => known.has(name)).map(([name, value]) => `${localised(known.get(name))} ${optionWords(known.get(name), value, room.game)}`);
  return h("span.room-changes", {}, [t("room.custom"), ...words].join(" · "));
}

/** Who asks this player to change places. */
function wishes(state, controls, busy) {
  const { room, playerId } = state;
  return room.swaps
    .filter((swap) => swap.to_player_id === playerId)
    .map(({ from_player_id: from }) =>
      h(
        "div.wish",
        { key: `wish-${from}`, role: "alertdialog", "data-from": from },
        h("span", {}, t("room.swap.asks", { who: nameOfPlayer(state, from, placeOf(room, from)?.seat) })),
        h("button.primary", { disabled: busy, onclick: () => controls.rooms.answerSwap(from, true) }, t("room.swap.yes")),
        h("button.plain", { disabled: busy, onclick: () => controls.rooms.answerSwap(from, false) }, t("room.swap.no")),
      ),
    );
}

function placeView(state, controls, place) {
  const { room } = state;
  const taken = place.player_id !== "";
  const mine = place.player_id === state.playerId;
  const asked = room.swaps.some((swap) => swap.from_player_id === state.playerId && swap.to_player_id === place.player_id);
  const ready = place.ready || isBot(place.player_id);
  const words = !taken ? t("room.sit") : asked ? t("room.swap.asked") : ready ? t("room.is_ready") : t("room.not_ready");
  const inside = [
    h("span.place-seat", {}, String(place.seat + 1)),
    taken ? avatar(state, place.player_id, place.seat) : h("span.avatar.empty", { "aria-hidden": "true" }, "+"),
    h("span.place-name", {}, taken ? nameOfPlayer(state, place.player_id, place.seat) : t("room.empty")),
    isBot(place.player_id) && LEVELS.includes(levelOf(place.player_id)) ? h("span.place-level", {}, t(`bot.level.${levelOf(place.player_id)}`)) : null,
    place.player_id === room.owner_id ? h("span.place-owner", {}, icon("crown"), t("room.owner")) : null,
    h("span.place-state", { class: taken && ready ? "is-ready" : "" }, mine ? `${t("room.me")} · ${words}` : words),
  ];
  const props = { key: place.seat, class: `${taken ? "taken" : "free"} ${mine ? "mine" : ""}`, "data-seat": place.seat, "data-player": place.player_id };
  if (mine) return h("div.place", props, inside);
  const open = () => (taken ? controls.dialog({ kind: "place", seat: place.seat }) : controls.rooms.move(place.seat));
  return h("button.place", { ...props, disabled: state.busy.has("room"), onclick: open }, inside);
}

/** Who plays in the empty places; only the levels that the game has. */
function botLevels(state, controls) {
  const bots = catalogue(state, state.room.game)?.bots ?? [];
  const levels = LEVELS.filter((level) => bots.includes(level));
  return h(
    "div.bot-levels",
    { key: "bots", role: "group", "aria-label": t("room.bots") },
    h("span.bot-levels-words", {}, t("room.bots")),
    levels.map((level) => h("button.plain", { key: level, "data-bot": level, disabled: state.busy.has("room"), onclick: () => controls.rooms.fillWithBots(level) }, t(`bot.level.${level}`))),
  );
}

function share(controls) {
  controls.dialog({ kind: "share" });
  controls.pages.friends.load("friends");
  controls.pages.friends.loadWhere();
}

async function copy(controls, text, said) {
  controls.toast((await copyText(text)) ? t(said) : text);
}

/** The dialog of somebody's place: change with him; as the owner also send him away, or make him the owner. */
export function placeDialog(state, controls) {
  const { room, dialog } = state;
  const place = room?.places[dialog.seat];
  if (!place?.player_id) return h("p", {}, t("room.empty"));
  const bot = isBot(place.player_id);
  const owner = isOwner(state, room);
  const busy = state.busy.has("room");
  const item = (key, words, onclick, tone = "plain") => h(`button.${tone}.menu-item`, { key, "data-button": key, disabled: busy, onclick }, words);
  return [
    h("p.place-who", {}, avatar(state, place.player_id, place.seat), h("b", {}, nameOfPlayer(state, place.player_id, place.seat)), h("span.soft", {}, t("room.seat", { seat: place.seat + 1 }))),
    h(
      "div.menu",
      {},
      bot ? null : item("card", t("friends.person"), () => controls.pages.friends.card(place.player_id)),
      item("swap", t(bot ? "room.swap.bot" : "room.swap.ask"), () => controls.rooms.move(place.seat)),
      owner && !bot ? item("hand", t("room.hand_over"), () => controls.rooms.handOver(place.player_id)) : null,
      owner ? item("kick", t(bot ? "room.kick.bot" : "room.kick"), () => controls.rooms.kick(place), "danger") : null,
    ),
    owner && !bot ? h("p.hint", {}, t("room.kick.hint")) : null,
  ];
}

/** The dialog that brings others in: QR code, link, code. */
export function shareDialog(state, controls) {
  const { room } = state;
  if (!room) return h("p", {}, t("room.closed"));
  const link = linkTo(room.room_code);
  const secure = location.protocol === "https:" ? "?https" : "";
  return [
    h("img.room-qr", { src: `/qr/room/${room.room_code}.svg${secure}`, alt: t("room.qr"), width: 216, height: 216 }),
    h("p.room-link", {}, link),
    friendsToInvite(state, controls),
    h(
      "div.dialog-buttons",
      {},
      navigator.share ? h("button.plain", { "data-button": "send", onclick: () => send(link, room.room_code) }, icon("share"), t("room.send")) : null,
      h("button.primary", { "data-button": "link", onclick: () => copy(controls, link, "room.link_copied") }, icon("copy"), t("room.copy_link")),
    ),
  ];
}

async function send(url, code) {
  try {
    await navigator.share({ url, title: t("room.title"), text: t("room.send.words", { code }) });
  } catch {
    // The person has changed his mind.
  }
}

/** The dialog before a room is closed for everybody. */
export function closeDialog(state, controls) {
  return [
    h("p", {}, t("room.close.words")),
    h("div.dialog-buttons", {}, h("button.plain", { onclick: () => controls.closeDialog() }, t("cancel")), h("button.danger", { "data-button": "yes", disabled: state.busy.has("room"), onclick: () => controls.rooms.close() }, t("room.close"))),
  ];
}

/** A room that plays already, by who may watch it. */
const WATCHED = { yes: { words: "room.plays.watch", button: "watch.go" }, ask: { words: "room.plays.ask", button: "watch.ask" } };

/** Describe `#/room/<code>` to who is not in the room. */
export function roomPage(state, controls, [code = ""]) {
  const mine = controls.pages.room;
  if (!/^\d{6}$/.test(code)) return notice(t("room.link.bad"), "bad");
  const { room } = mine.own;
  if (!room) return waitFor(state, "room.room", () => mine.load());
  const free = room.places.filter((place) => !place.player_id).length;
  const open = room.state === "open";
  const gone = room.state === "closed" ? "room.closed" : "room.plays";
  const watched = room.state === "playing" && room.table_id ? WATCHED[room.rules?.watching] : undefined;
  const why = watched?.words ?? (open ? "room.full" : gone);
  return panel(
    "room",
    t("room.invited", { code }),
    { "data-state": room.state },
    facts(state, room),
    h(
      "ul.invited-places",
      {},
      room.places.map((place) => h("li", { key: place.seat }, place.player_id ? [avatar(state, place.player_id, place.seat), h("span", {}, nameOfPlayer(state, place.player_id, place.seat))] : [h("span.avatar.empty", { "aria-hidden": "true" }, "+"), h("span.soft", {}, t("room.empty"))])),
    ),
    open && free ? null : notice(t(why), watched ? "plain" : "bad"),
    h(
      "div.page-buttons",
      {},
      h("button.plain", { "data-button": "home", onclick: () => controls.router.home() }, t("room.not_now")),
      watched
        ? h("button.primary", { key: "watch", "data-button": "watch", disabled: atTable(state), onclick: () => controls.pages.watch.watch(room.table_id) }, icon("eye"), t(watched.button))
        : h("button.primary", { key: "join", "data-button": "join", disabled: !open || !free || state.busy.has("room") || Boolean(state.table), onclick: () => mine.join() }, t("room.join")),
    ),
  );
}

/** The strip that tells of a rematch. */
export function inviteStrip(state, controls) {
  const { invite } = state;
  if (!invite) return null;
  return h(
    "div.away.invite",
    { key: "invite", role: "status" },
    h("span", {}, t("room.again.asks", { who: nameOfPlayer(state, invite.owner_id) })),
    h("button.primary", { "data-button": "accept", disabled: state.busy.has("room"), onclick: () => controls.rooms.acceptInvite() }, t("room.again.join")),
    h("button.plain", { "data-button": "decline", onclick: () => controls.rooms.declineInvite() }, t("room.not_now")),
  );
}

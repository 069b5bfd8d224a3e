// Friends: the page `#friends`, the card of a person, and the strip of an invitation.
import { ASKED, ASKS, BLOCKED, FRIENDS, NONE } from "../control/friends.mjs";
import { placeOf } from "../control/rooms.mjs";
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { confirmed, field, more, nothing, notice, panel, timeWords } from "./parts.mjs";
import { avatar, isBot, nameOfPlayer } from "./people.mjs";
import { gameTitle } from "./presets.mjs";
import { waitFor } from "./waitfor.mjs";
import { atTable } from "./watch.mjs";

/** Describe the page. */
export function friendsPage(state, controls) {
  const mine = controls.pages.friends;
  const { received, sent, blocked } = mine.own.lists;
  return [
    received?.total ? people(state, mine, "received", received, (one) => answers(state, mine, one)) : null,
    friendsList(state, controls, mine),
    finder(state, mine),
    sent?.total ? people(state, mine, "sent", sent, (one) => [act(mine, "WithdrawFriendRequest", one, "friends.withdraw", "plain", "friends.done.withdrawn")]) : null,
    shown(mine),
    blocked?.total ? people(state, mine, "blocked", blocked, (one) => [act(mine, "UnblockPlayer", one, "friends.unblock", "plain", "friends.done.unblocked")]) : null,
  ];
}

function friendsList(state, controls, mine) {
  const { friends } = mine.own.lists;
  if (!friends) return panel("friends", t("friends.title"), {}, waitFor(state, "friends.friends", () => mine.load("friends")));
  if (!friends.total) return panel("friends", t("friends.title"), {}, nothing(t("friends.none")));
  const entries = nearestFirst(mine.own, friends.entries);
  return people(state, mine, "friends", { ...friends, entries }, (one) => ofFriend(state, controls, mine, one.profile.player_id), t("friends.count", { count: friends.total, most: mine.own.most }));
}

/** Friends as one wants to find them: at a table, here, away; among equals as the list has them. */
export function nearestFirst({ tables, here }, entries) {
  const far = ({ profile: { player_id } }) => (tables.has(player_id) ? 0 : here.has(player_id) ? 1 : 2);
  return [...entries].sort((one, other) => far(one) - far(other));
}

/** Whether friends see oneself. */
function shown(mine) {
  const { isShown } = mine.own;
  if (isShown === null) return null;
  return panel(
    "shown",
    t("friends.shown"),
    {},
    h(
      "div.page-switch",
      { key: "switch" },
      h("button.chip", { type: "button", role: "switch", "aria-checked": String(isShown), "data-button": "shown", disabled: mine.isBusy("show"), onclick: () => mine.show(!isShown) }, t(isShown ? "friends.shown.yes" : "friends.shown.no")),
      h("span.soft", {}, t(isShown ? "friends.shown.yes.words" : "friends.shown.no.words")),
    ),
  );
}

/** One of the lists; `buttons(entry)` is what can be done. */
function people(state, mine, name, { entries, next }, buttons, words = null) {
  return panel(
    name,
    t(name === "friends" ? "friends.title" : `friends.${name}`),
    {},
    words ? h("p.soft", { key: "words" }, words) : null,
    h("ul.friend-rows", { key: "rows" }, entries.map((one) => row(state, mine, one.profile.player_id, buttons(one), sinceWords(name, one)))),
    more(state, `friends.${name}`, next, () => mine.loadMore(name)),
  );
}

const sinceWords = (name, { since_ms }) => t(name === "friends" ? "friends.since" : `friends.since.${name}`, { when: timeWords(since_ms, { time: false }) });

function row(state, mine, player, buttons, words = "") {
  const { sure, tables, here } = mine.own;
  const table = tables.get(player);
  const isHere = Boolean(table) || here.has(player);
  const isSure = sure?.player === player;
  return h(
    "li.friend-row",
    { key: player, "data-player": player },
    h("button.friend-who", { "data-button": "card", onclick: () => mine.card(player) }, avatar(state, player), h("span.friend-name", {}, nameOfPlayer(state, player)), h("span.friend-words", { class: isHere ? "is-here" : "" }, table ? t("friends.plays", { game: gameTitle(state, table.game) }) : isHere ? t("friends.is.here") : words)),
    isSure
      ? confirmed(true, t(`friends.sure.${sure.kind}`), t(`friends.${sure.kind}`), () => mine.act(sure.kind === "remove" ? "RemoveFriend" : "BlockPlayer", player), () => mine.sure(null), { busy: mine.isBusy(player) })
      : h("div.friend-buttons", {}, buttons),
  );
}

function act(mine, method, { profile }, words, tone = "plain", done = null) {
  const player = profile.player_id;
  return h(`button.${tone}`, { key: method, "data-button": method, disabled: mine.isBusy(player), onclick: () => mine.act(method, player, done) }, t(words));
}

const answers = (state, mine, one) => [
  act(mine, "AcceptFriend", one, "friends.accept", "primary"),
  act(mine, "DeclineFriend", one, "friends.decline", "plain", "friends.done.declined"),
  h("button.plain", { key: "block", "data-button": "block", onclick: () => mine.sure("block", one.profile.player_id) }, t("friends.block")),
];

function ofFriend(state, controls, mine, player) {
  const table = mine.own.tables.get(player);
  const sitsHere = table?.player_ids.includes(state.playerId);
  const isInvitable = state.room?.state === "open" && !table && !placeOf(state.room, player);
  return [
    table && !sitsHere ? h("button.primary", { key: "watch", "data-button": "watch", disabled: atTable(state), onclick: () => controls.pages.watch.watch(table.table_id) }, icon("eye"), t(table.needs_leave ? "watch.ask" : "watch.go")) : null,
    isInvitable ? h("button.primary", { key: "invite", "data-button": "invite", disabled: mine.isBusy(`invite-${player}`), onclick: () => mine.invite(player) }, t("friends.invite")) : null,
    h("button.plain", { key: "remove", "data-button": "remove", onclick: () => mine.sure("remove", player) }, t("friends.remove")),
    h("button.plain", { key: "block", "data-button": "block", onclick: () => mine.sure("block", player) }, t("friends.block")),
  ];
}

function finder(state, mine) {
  const { found, sought } = mine.own;
  const submit = (event) => {
    event.preventDefault();
    mine.find(new FormData(event.target).get("who"));
  };
  return panel(
    "find",
    t("friends.find"),
    {},
    h(
      "form.friend-finder",
      { key: "form", onsubmit: submit },
      field("who", { label: t("friends.find.who"), hint: t("friends.find.hint"), maxlength: 66 }),
      h("button.primary", { type: "submit", "data-button": "find", disabled: mine.isBusy("find") }, t("friends.find.go")),
    ),
    found === null ? null : found.length ? h("ul.friend-rows", { key: "found", "data-list": "found" }, found.map(({ player_id }) => row(state, mine, player_id, [wish(state, mine, player_id)], player_id))) : notice(t("friends.find.none", { who: sought }), "plain", { key: "none" }),
  );
}

/** The one thing that brings somebody nearer, or what he is already. */
function wish(state, mine, player) {
  const friendship = state.friendships.get(player);
  const one = { profile: { player_id: player } };
  switch (friendship) {
    case undefined:
      return null;
    case FRIENDS:
      return h("span.tag", { key: "is" }, t("friends.is.friends"));
    case ASKED:
      return h("span.tag", { key: "is" }, t("friends.is.asked"));
    case ASKS:
      return act(mine, "AcceptFriend", one, "friends.accept", "primary");
    case BLOCKED:
      return act(mine, "UnblockPlayer", one, "friends.unblock", "plain", "friends.done.unblocked");
    default:
      return act(mine, "AskFriend", one, "friends.ask", "primary");
  }
}

/** The dialog that says who somebody is. */
export function personDialog(state, controls) {
  const mine = controls.pages.friends;
  const { player } = state.dialog;
  const friendship = state.friendships.get(player) ?? NONE;
  const isOther = player !== state.playerId;
  return [
    h("div.person", { key: "who", "data-player": player }, avatar(state, player), h("div.person-words", {}, h("b.person-name", {}, nameOfPlayer(state, player)), h("span.soft", {}, player))),
    ratings(state, mine),
    h(
      "div.dialog-buttons",
      { key: "buttons" },
      isOther ? wish(state, mine, player) : null,
      h("button.plain", { key: "statistics", "data-button": "statistics", onclick: () => mine.statisticsOf(player) }, t("friends.statistics")),
      isOther && friendship !== BLOCKED ? h("button.plain", { key: "block", "data-button": "BlockPlayer", disabled: mine.isBusy(player), onclick: () => mine.act("BlockPlayer", player) }, t("friends.block")) : null,
    ),
  ];
}

function ratings(state, mine) {
  const { ratings: found, player } = state.dialog;
  if (!found) return waitFor(state, "friends.ratings", () => mine.loadRatings(player));
  if (!found.length) return h("p.soft", { key: "ratings" }, t("rating.none"));
  return h("ul.ratings", { key: "ratings", "aria-label": t("rating.title") }, found.map((one) => h("li", { key: one.game, "data-game": one.game }, h("span", {}, gameTitle(state, one.game)), ratingWords(one))));
}

/** A rating as people read it: the figure, and how sure it is. */
export function ratingWords(one) {
  return h("span.rating", { class: one.is_provisional ? "is-provisional" : "" }, h("b", {}, String(one.rating)), h("span.soft", {}, one.is_provisional ? t("rating.provisional", { rounds: one.rounds_left }) : t("rating.sure", { spread: one.deviation })));
}

/** People with whom one sits, each with his card: for the menu of a table and its score sheet. */
export function peopleHere(state, controls, players) {
  const others = players.filter((player) => player && !isBot(player) && player !== state.playerId);
  if (!others.length) return null;
  return h(
    "div.people-here",
    { key: "people", role: "group", "aria-label": t("friends.here") },
    others.map((player) => h("button.plain.person-chip", { key: player, "data-person": player, onclick: () => controls.pages.friends.card(player) }, avatar(state, player), h("span", {}, nameOfPlayer(state, player)), icon("users"))),
  );
}

/** A friend invites to his room. */
export function friendStrip(state, controls) {
  const [invitation, ...others] = state.friendInvites;
  if (!invitation || state.room) return null;
  const { profile, game, room_code } = invitation;
  return h(
    "div.away.invite",
    { key: "friend-invite", role: "status", "data-invite": room_code },
    h("span", {}, t("friends.invites", { who: profile.nickname, game: gameTitle(state, game), code: room_code }), others.length ? h("small.invite-more", {}, t("friends.invites.more", { count: others.length })) : null),
    h("button.primary", { "data-button": "join", onclick: () => controls.pages.friends.join(invitation) }, t("friends.join")),
    h("button.plain", { "data-button": "put", onclick: () => controls.pages.friends.put(profile.player_id) }, t("friends.later")),
  );
}

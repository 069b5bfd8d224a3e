// What other parts of the page show of friends and ratings: whom one may invite, how well somebody plays.
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { nearestFirst, ratingWords } from "./friends.mjs";
import { panel } from "./parts.mjs";
import { avatar, nameOfPlayer } from "./people.mjs";
import { gameTitle } from "./presets.mjs";

/** Friends who may be invited to the room one is in: those who are not in it. */
export function friendsToInvite(state, controls) {
  const mine = controls.pages.friends;
  const { friends } = mine.own.lists;
  if (!friends) return null;
  const here = new Set(state.room.places.map((place) => place.player_id));
  const away = nearestFirst(mine.own, friends.entries).filter(({ profile }) => !here.has(profile.player_id));
  return h(
    "div.invite-friends",
    { key: "friends", role: "group", "aria-label": t("friends.room") },
    h("h3", {}, t("friends.room")),
    away.length
      ? h("div.people-here.may-scroll", {}, away.map(({ profile: { player_id } }) => invitee(state, mine, player_id)))
      : h("p.soft", {}, t("friends.room.none")),
  );
}

function invitee(state, mine, player) {
  const isHere = mine.own.here.has(player);
  const name = nameOfPlayer(state, player);
  return h(
    "button.plain.person-chip",
    { key: player, "data-invite": player, "aria-label": isHere ? `${name} · ${t("friends.is.here")}` : name, disabled: mine.isBusy(`invite-${player}`), onclick: () => mine.invite(player) },
    avatar(state, player),
    h("span", { class: isHere ? "is-here" : "" }, name),
  );
}

/** The ratings of a player, on the page of his statistics; nothing where there are none. */
export function ratingsPanel(state, ratings) {
  if (!ratings?.length) return null;
  return panel(
    "ratings",
    t("rating.title"),
    {},
    h("ul.ratings", {}, ratings.map((one) => h("li", { key: one.game, "data-game": one.game }, h("span", {}, gameTitle(state, one.game)), ratingWords(one)))),
    h("p.soft", {}, t("rating.worth")),
  );
}

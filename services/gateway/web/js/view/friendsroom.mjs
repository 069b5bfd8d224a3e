// What other parts of the page show of friends and ratings: whom one may invite, how well somebody plays.
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { ratingWords } from "./friends.mjs";
import { panel } from "./parts.mjs";
import { avatar, nameOfPlayer } from "./people.mjs";
import { gameTitle } from "./presets.mjs";

/** Friends who may be invited to the room one is in: those who are not in it. */
export function friendsToInvite(state, controls) {
  const mine = controls.pages.friends;
  const { friends } = mine.own.lists;
  if (!friends) return null;
  const here = new Set(state.room.places.map((place) => place.player_id));
  const away = friends.entries.filter(({ profile }) => !here.has(profile.player_id));
  return h(
    "div.invite-friends",
    { key: "friends", role: "group", "aria-label": t("friends.room") },
    h("h3", {}, t("friends.room")),
    away.length
      ? h("div.people-here.may-scroll", {}, away.map(({ profile: { player_id } }) => h("button.plain.person-chip", { key: player_id, "data-invite": player_id, disabled: mine.isBusy(`invite-${player_id}`), onclick: () => mine.invite(player_id) }, avatar(state, player_id), h("span", {}, nameOfPlayer(state, player_id)))))
      : h("p.soft", {}, t("friends.room.none")),
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

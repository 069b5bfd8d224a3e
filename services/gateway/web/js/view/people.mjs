// Names and pictures of people and bots.
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { portrait } from "./portraits.mjs";

const BOT_EMBLEMS = "满雨秋露";
const BOT_NAMES = BOT_EMBLEMS.length;

/** Keys of the built-in pictures. */
export const AVATARS = Array.from({ length: 24 }, (_, i) => `a${String(i + 1).padStart(2, "0")}`);

/** Whether a player is played by the house. */
export const isBot = (playerId) => playerId.startsWith("bot:");

/** The name of a player as it is shown; bots get a name by seat. */
export function nameOfPlayer(state, playerId, seat = 0) {
  if (!playerId) return "";
  if (isBot(playerId)) return t("bot.name", { name: t(`bot.${seat % BOT_NAMES}`) });
  return state.profiles.get(playerId)?.nickname || t("player.unknown");
}

/** Who sits at a seat, as the listener calls him: 上家, 下家; to a spectator by name. */
export function whoAt(state, seat) {
  const { table } = state;
  return table.seat < 0 ? nameOfPlayer(state, table.seats[seat]?.player_id, seat) : t(`side.${table.side(seat)}`);
}

/** The picture of a player; bots have pictures that no person can choose. */
export function avatar(state, playerId, seat = 0, props = {}) {
  if (!isBot(playerId)) return avatarPicture(state.profiles.get(playerId)?.avatar, props);
  return h("span.avatar.of-bot", { ...props, "aria-hidden": "true" }, BOT_EMBLEMS[seat % BOT_NAMES]);
}

/** A built-in picture by its key. */
export function avatarPicture(key, props = {}) {
  const at = Math.max(0, AVATARS.indexOf(key ?? "a01"));
  return h("span.avatar", { ...props, style: { "--hue": String((at * 47 + 150) % 360) }, "aria-hidden": "true" }, portrait(at));
}

// Presets by their titles.
import { localised, t } from "../lib/i18n.mjs";

/** What the catalogue says of a game; undefined while it is not known. */
export const catalogue = (state, game) => state.games?.find((one) => one.game === game);

/** The title of a game. */
export function gameTitle(state, game) {
  const known = catalogue(state, game);
  return known ? localised(known) : t(`game.${game}`);
}

/** `[{preset, title, options}]` of preset ids, in the given order; the id stands in for a title not known yet. */
export function presetsOf(state, game, ids) {
  return ids.map((preset) => {
    const known = catalogue(state, game)?.presets.find((one) => one.preset === preset);
    return { preset, title: known ? localised(known) : preset, options: known ? JSON.parse(known.options_json) : {} };
  });
}

/** The title of `tongyi-qmt@1`; changed rules are `custom@0`. */
export function presetTitle(state, game, versioned, custom) {
  const preset = versioned.split("@")[0];
  return preset === "custom" ? custom : presetsOf(state, game, [preset])[0].title;
}

/** The options by which a room differs from its preset. */
export const changesOf = (room) => JSON.parse(room.options_json || "{}");

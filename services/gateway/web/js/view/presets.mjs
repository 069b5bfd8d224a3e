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

/** Options that the stake of a table sets, not its players. */
export const MONEY = new Set(["base_stake", "fee"]);

/** The title of `tongyi-qmt@1`; changed rules are `custom@0`. */
export function presetTitle(state, game, versioned, custom) {
  const preset = versioned.split("@")[0];
  return preset === "custom" ? custom : presetsOf(state, game, [preset])[0].title;
}

/**
 * What the rules of a table are nearest to: `{title, changed}`, the names of the options that differ from the preset that
 * differs least (`wanted`, if it is one). What a point and a round cost in coins is no rule. Null while the catalogue is not known.
 */
export function nearestPreset(state, game, options, wanted = "") {
  const known = catalogue(state, game);
  if (!known || !Object.keys(options).length) return null;
  const names = known.options.map((option) => option.name).filter((name) => !MONEY.has(name) && name in options);
  const all = presetsOf(state, game, known.presets.map((one) => one.preset));
  const apart = all.map((one) => ({ ...one, changed: names.filter((name) => options[name] !== one.options[name]) }));
  const same = apart.find((one) => one.preset === wanted);
  return same ?? apart.reduce((best, one) => (one.changed.length < best.changed.length ? one : best));
}

/** The options by which a room differs from its preset. */
export const changesOf = (room) => JSON.parse(room.options_json || "{}");

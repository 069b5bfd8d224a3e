// Presets by their titles.
import { localised } from "../lib/i18n.mjs";

/** `[{preset, title, options}]` of preset ids, in the given order; the id stands in for a title not known yet. */
export function presetsOf(state, ids) {
  const game = state.games?.find((one) => one.game === "paohuzi");
  return ids.map((preset) => {
    const known = game?.presets.find((one) => one.preset === preset);
    return { preset, title: known ? localised(known) : preset, options: known ? JSON.parse(known.options_json) : {} };
  });
}

/** The title of `tongyi-qmt@1`; changed rules are `custom@0`. */
export function presetTitle(state, versioned, custom) {
  const preset = versioned.split("@")[0];
  return preset === "custom" ? custom : presetsOf(state, [preset])[0].title;
}

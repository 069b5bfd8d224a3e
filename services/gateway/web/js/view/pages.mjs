// The pages beside lobby and table. To add one: its line here, and what README.md says of pages.
import { ProfileControls } from "../control/profile.mjs";
import { profilePage } from "./profile.mjs";

/**
 * In the order of the menu. `name`: the address, `#<name>`; `words`: the key of its title; `view(state, controls, path)`; `control`:
 * a `PageControls`, found as `controls.pages.<name>`; `icon`: of `icons.mjs`; `only?(state)`: whether this person may see it.
 */
export const PAGES = [
  { name: "profile", words: "profile.title", icon: "person", view: profilePage, control: ProfileControls },
];

/** A page by its name. */
export const pageOf = (name) => PAGES.find((page) => page.name === name);

/** The pages that this person may see. */
export const pagesFor = (state) => PAGES.filter((page) => !page.only || page.only(state));

// How the page looks: by day or by night, and which felt the tables have.

export const THEMES = ["auto", "light", "dark"];
export const FELTS = ["green", "blue", "red", "slate"];

const PLACE = "paiju.theme";
const DEFAULTS = { theme: "auto", felt: "green" };

let looks = DEFAULTS;
let night = null;

/** Start with what this browser has kept, and follow the device's night while the theme is `auto`. */
export function initTheme(storage = localStorage, media = matchMedia("(prefers-color-scheme: dark)")) {
  night = media;
  media.addEventListener("change", show);
  try {
    const kept = JSON.parse(storage.getItem(PLACE)) ?? {};
    looks = { theme: THEMES.includes(kept.theme) ? kept.theme : DEFAULTS.theme, felt: FELTS.includes(kept.felt) ? kept.felt : DEFAULTS.felt };
  } catch {
    looks = DEFAULTS;
  }
  show();
}

/** `{theme, felt}` as chosen. */
export const currentLooks = () => looks;

/** Change some of it at once and keep it for this browser. */
export function setLooks(changes, storage = localStorage) {
  looks = { ...looks, ...changes };
  try {
    storage.setItem(PLACE, JSON.stringify(looks));
  } catch {
    // Kept for this visit only.
  }
  show();
}

function show() {
  const { dataset } = document.documentElement;
  dataset.theme = looks.theme === "auto" ? (night?.matches ? "dark" : "light") : looks.theme;
  dataset.felt = looks.felt;
}

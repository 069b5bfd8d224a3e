// Words in two languages. Chinese first.
import { STRINGS } from "./strings.mjs";

const PLACE = "paiju.language";

let language = "zh-CN";

/** Start with the kept choice, else Chinese, whatever the browser prefers. */
export function initLanguage(storage = localStorage) {
  let kept = null;
  try {
    kept = storage.getItem(PLACE);
  } catch {
    kept = null;
  }
  language = kept === "en" ? "en" : "zh-CN";
  return language;
}

/** `zh-CN` or `en`. */
export const currentLanguage = () => language;

/** Names one after the other, as a sentence has them. */
export const listed = (names) => (language === "en" && names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join(t("comma")));

/** One paragraph of sentences; those that are empty are left out. */
export const sentences = (said) => said.filter(Boolean).join(language === "en" ? " " : "");

/** Change the language and keep the choice. */
export function setLanguage(next, storage = localStorage) {
  language = next === "en" ? "en" : "zh-CN";
  try {
    storage.setItem(PLACE, language);
  } catch {
    // Kept for this visit only.
  }
}

/**
 * The words of a key, with `{name}` filled in; of `{name|round|rounds}` the first if the value is one (or minus one), else the
 * second. A key without words shows itself: a test finds those.
 */
export function t(key, values = {}) {
  const pair = STRINGS[key];
  const words = pair ? pair[language === "en" ? 1 : 0] : key;
  return words.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (whole, name, one, many) => {
    if (!(name in values)) return whole;
    if (many === undefined) return String(values[name]);
    return Math.abs(Number(values[name])) === 1 ? one : many;
  });
}

/** Whether there are words for a key. */
export const hasWords = (key) => key in STRINGS;

/** The words of a key that the server chose, or those of `fallback` when this page is older than the key. */
export const tOr = (key, fallback) => t(hasWords(key) ? key : fallback);

/** The words of a 名堂; a rule set may know one that this page has no translation for. */
export function nameWords(name, game = "") {
  const key = [`${game}.name.${name}`, `name.${name}`].find(hasWords);
  return key ? t(key) : name;
}

/** Of a message with `title_zh` and `title_en` (or another stem) the one in the current language. */
export function localised(object, stem = "title") {
  const [zh, en] = [object[`${stem}_zh`], object[`${stem}_en`]];
  return language === "en" ? en || zh : zh || en;
}

/** A number with its sign. */
export const signed = (value) => (value > 0 ? `+${grouped(value)}` : grouped(value));

/** A number in full, in groups of three. */
export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** A number short enough for a seat: 12345 → 12,345; 123456 → 12.3万 or 123k. */
export function compact(value) {
  const size = Math.abs(value);
  if (language === "en") {
    if (size >= 1e6) return `${trim(value / 1e6)}M`;
    return size >= 1e5 ? `${trim(value / 1e3)}k` : grouped(value);
  }
  if (size >= 1e8) return `${trim(value / 1e8)}亿`;
  return size >= 1e5 ? `${trim(value / 1e4)}万` : grouped(value);
}

const trim = (value) => value.toFixed(Math.abs(value) < 100 ? 1 : 0).replace(/\.0$/, "");

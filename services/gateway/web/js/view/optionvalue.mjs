// The values of rule options in words.
import { currentLanguage, hasWords, t } from "../lib/i18n.mjs";

/** The value of an option in the words of the catalogue. */
export function optionWords(option, value, game = "") {
  const at = option.values.indexOf(value);
  const words = (currentLanguage() === "en" ? option.values_en : option.values_zh)?.[at];
  return words || optionValue(value, game);
}

/** The value of an option in words; a game may have words of its own for a value. */
export function optionValue(value, game = "") {
  if (value === true) return t("yes");
  if (value === false) return t("no");
  if (value === null || value === undefined) return t("option.none");
  if (typeof value === "number") return String(value);
  const key = [`${game}.value.${value}`, `value.${value}`].find(hasWords);
  return key ? t(key) : String(value);
}

// The values of rule options in words.
import { hasWords, t } from "../lib/i18n.mjs";

/** The value of an option in words. */
export function optionValue(value) {
  if (value === true) return t("yes");
  if (value === false) return t("no");
  if (value === null || value === undefined) return t("option.none");
  if (typeof value === "number") return String(value);
  return hasWords(`value.${value}`) ? t(`value.${value}`) : String(value);
}

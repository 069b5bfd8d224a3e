// What stands where something is still to come, or did not come.
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";

/** "Loading", or that it failed with a button that asks again. */
export function waitFor(state, part, again) {
  if (!state.failed.has(part)) return h("p.loading", { key: "loading" }, t("loading"));
  return h("p.loading", { key: "failed" }, t("load.failed"), " ", h("button.plain", { onclick: again }, t("load.again")));
}

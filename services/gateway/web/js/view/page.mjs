// The whole page: a screen, what lies over it, and what is said about the connection.
import { t, tOr } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { dialog } from "./dialogs.mjs";
import { doorScreen } from "./door.mjs";
import { lobby } from "./lobby.mjs";
import { pageScreen } from "./pageframe.mjs";
import { replayScreen } from "./replay.mjs";
import { tableScreen } from "./table.mjs";

/** Describe the page. */
export function page(state, controls) {
  return [
    screen(state, controls),
    state.dialog ? dialog(state, controls) : null,
    connectionBanner(state, controls),
    h(
      "div.toasts",
      { key: "toasts", role: "status", "aria-live": "polite" },
      state.toasts.map(({ id, words, tone }) => h("p.toast", { key: id, class: tone }, words)),
    ),
  ];
}

function screen(state, controls) {
  if (state.replay) return replayScreen(state, controls);
  if (state.screen === "door") return doorScreen(state, controls);
  if (state.page && state.screen !== "boot") return pageScreen(state, controls);
  if (state.screen === "table" && state.table) return tableScreen(state, controls);
  if (state.screen === "lobby") return lobby(state, controls);
  return h("main.boot", { key: "boot" }, h("p.boot-word", {}, t("app.name")), h("p", {}, t("boot.connecting")));
}

function connectionBanner(state, controls) {
  const again = (key) => h("button.banner-button", { onclick: () => controls.reconnect() }, t(key));
  if (state.replaced) {
    return h("div.banner", { key: "banner", role: "alert" }, h("span", {}, t("detached.REPLACED")), attachAgain(controls));
  }
  if (state.net === "stopped" && state.goodbye) {
    return h("div.banner", { key: "banner", role: "alert" }, h("span", {}, tOr(`goodbye.${state.goodbye}`, "goodbye.other")), again("net.here"));
  }
  if (state.net === "ready" || (!state.everReady && state.net === "connecting")) return null;
  return h("div.banner", { key: "banner", role: "alert" }, h("span.spinner", { "aria-hidden": "true" }), h("span", {}, t("net.offline")), again("net.now"));
}

function attachAgain(controls) {
  return h("button.banner-button", { onclick: () => controls.play.attach(true) }, t("net.here"));
}

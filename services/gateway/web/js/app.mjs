// The page starts here: load the messages, make the parts, draw, connect.
import { Controls } from "./control/controls.mjs";
import { initLanguage, t } from "./lib/i18n.mjs";
import { Store } from "./lib/store.mjs";
import { initTheme } from "./lib/theme.mjs";
import { patch } from "./lib/vdom.mjs";
import { loadWire } from "./net/wire.mjs";
import { startTicker } from "./view/ticker.mjs";
import { page } from "./view/page.mjs";
import { PAGES, pageOf } from "./view/pages.mjs";
import { initialState } from "./state.mjs";

async function start() {
  document.documentElement.lang = initLanguage();
  initTheme();
  const root = document.getElementById("app");
  try {
    await loadWire();
  } catch {
    root.textContent = t("boot.failed");
    setTimeout(() => location.reload(), 5_000);
    return;
  }
  root.replaceChildren();
  root.className = "";
  let controls = null;
  const store = new Store(initialState(localStorage), (state) => {
    patch(root, page(state, controls));
    document.title = titleOf(state);
  });
  controls = new Controls(store, PAGES);
  startTicker(store.state.clock);
  addEventListener("resize", () => store.change());
  addEventListener("online", () => controls.connection.hurry());
  document.addEventListener("visibilitychange", () => document.hidden || controls.connection.hurry());
  document.addEventListener("keydown", (event) => controls.key(event));
  document.addEventListener("pointerdown", () => controls.sound.wake(), { passive: true });
  await controls.start();
}

function titleOf(state) {
  if (state.table?.question) return `● ${t("table.your_turn")} · ${t("app.name")}`;
  return state.page ? `${t(pageOf(state.page.name).words)} · ${t("app.name")}` : `${t("app.name")} · Paiju`;
}

start();

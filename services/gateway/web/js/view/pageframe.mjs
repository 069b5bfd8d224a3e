// What stands around every page: its head, the list of pages, and the way back to a table that waits.
import { takeFocus } from "../lib/focus.mjs";
import { localised, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { hashOf } from "../control/router.mjs";
import { friendStrip } from "./friends.mjs";
import { icon } from "./icons.mjs";
import { pageOf, pagesFor } from "./pages.mjs";
import { clockFace } from "./ticker.mjs";

/** Describe the open page. */
export function pageScreen(state, controls) {
  const { name, path } = state.page;
  const page = pageOf(name);
  const up = () => (path.length ? controls.router.go(name) : controls.router.home());
  return h(
    "main.page",
    { key: `page-${name}`, "data-page": name },
    h(
      "header.page-head",
      { key: "head" },
      h("button.icon-button", { "data-button": "back", "aria-label": t(path.length ? "page.up" : state.table ? "page.table" : "page.lobby"), onclick: up }, icon("back")),
      // The first thing a screen reader says, and where the keyboard goes on.
      h("h1", { key: name, tabindex: "-1", oncreate: takeFocus }, t(page.words)),
      h("button.icon-button.page-menu", { "data-button": "pages", "aria-label": t("pages.title"), onclick: () => controls.dialog({ kind: "pages" }) }, icon("menu")),
    ),
    strip(state, controls),
    friendStrip(state, controls),
    h("div.page-columns", { key: "columns" }, h("nav.page-nav", { "aria-label": t("pages.title") }, pageLinks(state, name)), h("div.page-body", { key: path.join("/") || "top" }, page.view(state, controls, path))),
  );
}

/** Links to the pages that this person may see. */
export function pageLinks(state, current = "", props = {}) {
  return pagesFor(state).map((page) =>
    h("a.page-link", { key: page.name, href: hashOf(page.name), "data-page": page.name, "aria-current": page.name === current ? "page" : null, ...props }, icon(page.icon), h("span", {}, t(page.words))),
  );
}

/** The menu of the pages, for the lobby and for narrow screens. */
export function pagesMenu(state, controls) {
  return h(
    "nav.pages-menu",
    { "aria-label": t("pages.title") },
    pageLinks(state, state.page?.name, { onclick: () => controls.closeDialog() }),
    h("button.page-link", { key: "settings", "data-page": "settings", onclick: () => controls.dialog({ kind: "settings" }) }, icon("gear"), h("span", {}, t("settings.title"))),
  );
}

/** What goes on elsewhere: a table that plays, or a wait for one. It is on every page, and never scrolls away. */
function strip(state, controls) {
  const { table, ticket, room, awayTable } = state;
  const line = (key, words, button, onclick, props = {}) =>
    h("div.strip", { key: `strip-${key}`, role: "status", "data-strip": key, ...props }, h("span", {}, words), h("button.primary", { onclick }, button));
  if (table) {
    const asked = table.question && table.question.number !== state.ui.sentQuestion;
    const words = asked ? [t("table.your_turn"), " ", clockFace(table.question.deadline_at_ms), t("seconds")] : t(table.matchEnd ? "page.table.over" : "page.table.on");
    return line("table", words, t("away.back"), () => controls.router.home(), { class: asked ? "urgent" : "" });
  }
  if (awayTable) return line("away", t("away.words"), t("away.back"), () => controls.play.enter(awayTable));
  if (ticket) {
    const hall = state.halls?.find((one) => one.hall_id === ticket.hall_id);
    return line("ticket", [t("ticket.waiting"), hall ? ` ${localised(hall)}` : ""], t("ticket.cancel"), () => controls.lobby.cancelTicket());
  }
  if (room) return line("room", t("page.room", { code: room.room_code }), t("page.room.back"), () => controls.router.home());
  return null;
}

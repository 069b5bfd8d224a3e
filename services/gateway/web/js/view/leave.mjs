// Leave to watch: who asks for it at one's own table, who watches by it, and what he sees who waits for it.
import { compact, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { nothing } from "./parts.mjs";
import { avatar, nameOfPlayer } from "./people.mjs";

/** Who asks to watch: below the bar, so that hand and buttons stay free. One at a time. */
export function asksStrip(state, controls) {
  const { table } = state;
  const [first, ...more] = table.watching.asks;
  if (!first || !table.me || table.me.left || table.matchEnd) return null;
  const who = first.player_id;
  const answer = (allow) => controls.play.letWatch(who, allow);
  const disabled = state.busy.has("let_watch");
  return h(
    "aside.ask-strip",
    { key: "asks", "aria-live": "polite", "aria-label": t("let.asks.title"), "data-player": who },
    avatar(state, who),
    h("p.ask-words", {}, t("let.asks", { who: nameOfPlayer(state, who) }), more.length ? h("span.ask-more", {}, t("let.more", { count: more.length })) : null),
    h(
      "span.ask-buttons",
      {},
      h("button.ask-yes", { "data-button": "let-yes", disabled, onclick: () => answer(true) }, t("let.yes")),
      h("button.ask-no", { "data-button": "let-no", disabled, onclick: () => answer(false) }, t("let.no")),
    ),
  );
}

/** What somebody sees who waits to be let in. */
export function waitsForLeave(state, controls) {
  if (!state.table.watching.waits) return null;
  return h(
    "div.vote.leave-wait",
    { key: "leave-wait", role: "status", "aria-label": t("let.waits.title") },
    h("h2", {}, icon("eye"), t("let.waits.title")),
    h("p", {}, t("let.waits")),
    h("div.vote-buttons", {}, h("button.plain", { "data-button": "give-up", onclick: () => controls.pages.watch.leave() }, t("let.give_up"))),
  );
}

/** How many look on at one's own table; by leave: a button that leads to who they are. */
export function viewersMark(state, controls) {
  const { table } = state;
  const { viewers, let_in } = table.watching;
  if (table.seat < 0 || !(viewers || let_in.length)) return null;
  const words = t("watch.viewers", { count: viewers });
  const shown = [icon("eye"), compact(viewers)];
  if (!let_in.length) return h("span.bar-viewers", { key: "viewers", role: "img", "aria-label": words, title: words }, shown);
  return h("button.bar-button.bar-viewers", { key: "viewers", "data-button": "watchers", "aria-label": words, title: words, onclick: () => controls.dialog({ kind: "watchers" }) }, shown);
}

/** Who watches by leave, each to be sent away. */
export function watchersDialog(state, controls) {
  const { let_in = [], delay_ms = 0 } = state.table?.watching ?? {};
  if (!let_in.length) return nothing(t("let.nobody"));
  return [
    h("p.hint", {}, t("let.hint", { seconds: Math.round(delay_ms / 1000) })),
    h(
      "ul.watchers",
      {},
      let_in.map((who) =>
        h(
          "li",
          { key: who, "data-player": who },
          avatar(state, who),
          h("span.watch-name", {}, nameOfPlayer(state, who)),
          h("button.plain", { "data-button": "send-away", disabled: state.busy.has("let_watch"), onclick: () => controls.play.letWatch(who, false) }, t("let.away")),
        ),
      ),
    ),
  ];
}

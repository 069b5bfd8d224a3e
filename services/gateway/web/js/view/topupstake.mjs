// At the table: a stake that does not reach for another round. Its owner adds to it or declines; the others wait.
import { goldIn } from "../game/wallet.mjs";
import { takeFocus } from "../lib/focus.mjs";
import { grouped, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { whoAt } from "./people.mjs";
import { clockFace } from "./ticker.mjs";

/** Describe what is asked of this seat, or whom the match waits for; null while no stake is short. */
export function topUpPanel(state, controls) {
  const { table } = state;
  if (!table.short.length || table.matchEnd) return null;
  const mine = table.me?.left ? undefined : table.short.find(({ seat }) => seat === table.seat);
  return h(
    "div.vote.topup-stake",
    { key: "topup-stake", role: mine ? "alertdialog" : "status", "aria-label": t("short.title"), "data-short": mine ? "own" : "other" },
    mine ? own(state, controls, mine) : others(state),
  );
}

const clock = (table) => h("span.short-clock", {}, clockFace(table.shortUntil), t("seconds"));

function others(state) {
  const who = state.table.short.map(({ seat }) => whoAt(state, seat)).join(t("short.and"));
  return h("p", {}, t("short.waits", { who }), " ", clock(state.table));
}

function own(state, controls, { stake, least, most }) {
  const gold = goldIn(state.wallet);
  const top = Math.min(most, gold ?? most);
  const busy = state.busy.has("stake");
  const add = (name, amount) =>
    h(`button.${name === "top" ? "primary" : "plain"}`, { key: name, "data-action": `add-${name}`, disabled: busy, oncreate: name === "top" ? takeFocus : null, onclick: () => controls.play.addStake(amount) }, t(amount === most ? "short.fill" : "short.add", { coins: grouped(amount) }));
  return [
    h("h2", {}, t("short.title")),
    h("p", {}, t("short.says", { stake: grouped(stake), least: grouped(least) }), " ", clock(state.table)),
    h("p.vote-count", {}, gold === undefined ? "…" : t(top < least ? "short.poor" : "short.gold", { gold: grouped(gold) })),
    h(
      "div.vote-buttons",
      {},
      top >= least ? add("top", top) : null,
      top > least ? add("least", least) : null,
      h("button.plain", { key: "decline", "data-action": "decline-stake", disabled: busy, onclick: () => controls.play.declineStake() }, t("short.decline")),
    ),
  ];
}

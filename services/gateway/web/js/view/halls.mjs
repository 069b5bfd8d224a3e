// All halls of a game by level: what they cost, who plays there, why one is closed and which one fits.
import { bestHall, fittingHall, whyClosed } from "../game/halls.mjs";
import { goldIn } from "../game/wallet.mjs";
import { currentLanguage, grouped, localised, t, tOr } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { amountWords, chips, currencyMark, notice, panel, timeWords } from "./parts.mjs";
import { gameTitle, presetsOf } from "./presets.mjs";
import { waitFor } from "./waitfor.mjs";

/** Describe the page `#halls`. */
export function hallsPage(state, controls) {
  const mine = controls.pages.halls;
  if (!state.halls) return waitFor(state, "halls", () => mine.open([]));
  const games = [...new Set(state.halls.map((hall) => hall.game))];
  const ours = state.halls.filter((hall) => hall.game === state.game);
  return [purse(state, controls, ours), relief(mine), limits(mine), chips("game", t("games.title"), games.map((game) => [game, gameTitle(state, game)]), state.game, (game) => controls.lobby.chooseGame(game)), levels(state, controls, ours)];
}

function purse(state, controls, ours) {
  const gold = goldIn(state.wallet);
  const best = bestHall(ours, gold);
  const isOpen = best && !whyClosed(best, gold);
  return h(
    "section.panel.purse",
    { key: "purse", "aria-label": t("quick.title") },
    h("a.purse-gold", { href: "#wallet", "aria-label": t("wallet.title") }, currencyMark("gold"), h("b", {}, gold === undefined ? "…" : grouped(gold))),
    isOpen
      ? h(
          "button.primary.quick-join",
          { "data-button": "quick", disabled: isBusy(state), onclick: () => controls.lobby.match(best.hall_id, false) },
          icon("users"),
          h("span.quick-words", {}, h("b", {}, t("quick.match")), h("span", {}, `${gameTitle(state, best.game)} · ${localised(best)}`)),
        )
      : null,
  );
}

const isBusy = (state) => state.busy.has("ticket") || Boolean(state.ticket) || Boolean(state.table) || Boolean(state.awayTable);

/** 救济: for who has lost nearly everything. */
function relief(mine) {
  const given = mine.own.day?.relief;
  if (!given?.below || given.refusal === "RELIEF_NOT_NEEDED") return null;
  const isUsed = given.refusal !== "";
  return panel(
    "relief",
    t("relief.title"),
    {},
    h("p", {}, t(isUsed ? "relief.used" : "relief.words", { below: grouped(given.below), gold: grouped(given.gold), left: given.left, all: given.per_day, when: timeWords(mine.own.day.ends_at_ms) })),
    isUsed ? null : h("div.page-buttons.at-start", {}, h("button.primary", { "data-button": "relief", disabled: mine.isBusy("relief"), onclick: () => mine.claimRelief() }, icon("gift"), t("relief.take", { gold: grouped(given.gold) }))),
  );
}

/** Who has won or lost enough today plays for points until tomorrow. */
function limits(mine) {
  const { day } = mine.own;
  if (!day?.refusal) return null;
  return notice(t(day.refusal === "DAILY_WIN_CAP" ? "halls.win_cap" : "halls.loss_cap", { net: amountWords(day.net), when: timeWords(day.ends_at_ms) }), "bad", { "data-cap": day.refusal });
}

/** Levels in the order of the service, each with its rule sets. */
function levels(state, controls, ours) {
  const byLevel = new Map();
  for (const hall of ours) {
    const level = hall.level || hall.hall_id.split("/").at(-1);
    byLevel.set(level, [...(byLevel.get(level) ?? []), hall]);
  }
  return [...byLevel].map(([level, halls]) => {
    const [first] = halls;
    const title = localised(first, "level") || localised(first);
    return h(
      "section.panel.level",
      { key: `level-${level}`, "data-level": level, "aria-label": title },
      h("h2", {}, title, h("span.soft.level-people", {}, icon("users"), t("halls.playing", { count: sum(halls, "playing") }))),
      h("ul.hall-rows", {}, halls.map((hall) => hallRow(state, controls, hall))),
    );
  });
}

const sum = (halls, field) => halls.reduce((all, hall) => all + (hall[field] ?? 0), 0);

function hallRow(state, controls, hall) {
  const gold = goldIn(state.wallet);
  const reason = whyClosed(hall, gold);
  const [preset] = presetsOf(state, hall.game, [hall.preset]);
  const entry = hall.entry_max ? t("hall.entry.range", { low: grouped(hall.entry_min), high: grouped(hall.entry_max) }) : t("hall.entry", { low: grouped(hall.entry_min) });
  return h(
    "li.hall-row",
    { key: hall.hall_id, "data-hall": hall.hall_id, class: reason ? "is-closed" : "" },
    h("span.hall-row-title", {}, h("b", {}, preset.title), hall.waiting ? h("span.tag", {}, t("hall.waiting", { count: hall.waiting })) : null),
    h(
      "dl.hall-figures",
      {},
      figure("halls.stake", grouped(hall.base_stake)),
      figure("halls.buy_in", grouped(hall.buy_in)),
      figure("halls.fee", hall.fee ? t("halls.fee.each", { fee: grouped(hall.fee) }) : t("halls.fee.none")),
      figure("halls.rounds", String(hall.rounds)),
      figure("halls.people", String(hall.playing ?? 0)),
    ),
    h("p.soft", {}, [entry, hall.win_cap_by_balance ? t("halls.win_by_balance") : "", coinWords(hall)].filter(Boolean).join(" · ")),
    reason
      ? closed(state, controls, hall, reason)
      : h(
          "div.row-buttons",
          {},
          h("button.primary", { "data-button": "match", disabled: isBusy(state), onclick: () => controls.lobby.match(hall.hall_id, false) }, t("hall.match")),
          h("button.plain", { "data-button": "bots", disabled: isBusy(state), onclick: () => controls.lobby.match(hall.hall_id, true) }, t("hall.bots")),
        ),
  );
}

/** Where the rules come from a place that calls its coins otherwise (悟性), it is the same gold. */
function coinWords(hall) {
  const coin = localised(hall, "coin");
  return coin && coin.toLowerCase() !== t("currency.gold").toLowerCase() ? t("halls.coin", { coin }) : "";
}

const figure = (key, value) => h("div", { key }, h("dt", {}, t(key)), h("dd", {}, value));

function closed(state, controls, hall, reason) {
  const fits = fittingHall(state.halls, hall, goldIn(state.wallet));
  const said = currentLanguage() === "en" ? hall.refusal_en : hall.refusal_zh;
  return h(
    "div.row-buttons.hall-why",
    { "data-reason": reason },
    h("span", {}, said || tOr(`halls.why.${reason}`, "halls.why.other")),
    fits && fits !== hall ? h("button.plain", { "data-button": "fits", disabled: isBusy(state), onclick: () => controls.lobby.match(fits.hall_id, false) }, t("halls.fits", { hall: localised(fits) })) : null,
  );
}

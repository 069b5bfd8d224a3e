// The buttons of 斗地主: bids, doubling, and 不出 · 提示 · 出牌 with the reason why chosen cards cannot be played.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { clockFace } from "../../view/ticker.mjs";
import { asksForCards, hint, judgeChosen, pass, playChosen } from "./moves.mjs";
import { ANY_PLAY } from "./round.mjs";
import { readingWords } from "./wording.mjs";

/** The answers of a question that has no cards, in the order of the buttons: declining first. */
export const answersOf = (asked) => [...asked].sort((a, b) => Number(isYes(a)) - Number(isYes(b)) || (a < b ? -1 : 1));

const isYes = (action) => !["bid 0", "no_call", "no_rob", "double 1"].includes(action);

/** Describe what can be answered now. */
export function buttons(state, controls) {
  const { asked } = controls.play;
  if (!asked.length) return null;
  return asksForCards(asked) ? playing(state, controls, asked) : bidding(state, controls, asked);
}

function bidding(state, controls, asked) {
  const answers = answersOf(asked);
  const kind = answers[0].split(" ")[0];
  return [
    line(state, t(`doudizhu.ask.${kind}`)),
    h(
      "div.act-row",
      { key: "row" },
      answers.map((action, at) =>
        h(
          `button.act.wide`,
          { key: action, class: isYes(action) ? "main" : "", "data-action": action.replace(" ", "-"), "aria-keyshortcuts": String(at + 1), onclick: () => controls.play.act(action), onmousedown: keepFocus },
          h("span.act-word", {}, t(`doudizhu.act.${action.replace(" ", ".")}`)),
        ),
      ),
    ),
  ];
}

function playing(state, controls, asked) {
  const { table } = state;
  const { ui } = controls.play;
  const { ways, reason } = judgeChosen(table, ui, asked);
  const canPlay = asked.includes(ANY_PLAY);
  const mayPass = asked.includes("pass");
  const row = [];
  if (mayPass) {
    row.push(act("pass", t(canPlay ? "doudizhu.act.pass" : "doudizhu.act.cannot"), () => pass(controls), { main: !canPlay, keys: "Space" }));
  }
  if (canPlay) {
    row.push(act("hint", t("doudizhu.act.hint"), () => hint(controls, table), { keys: "H" }));
    const names = ways.length > 1 ? ways.map((way) => readingWords(way.reading)) : [t("doudizhu.act.play")];
    names.forEach((name, at) => row.push(act(at ? `play-${at}` : "play", name, () => playChosen(controls, table, at), { main: true, keys: at ? null : "Enter", off: !ways.length })));
  }
  return [line(state, says(table, ui, { ways, reason, canPlay }), reason && reason !== "none", ui.refused), h("div.act-row", { key: "row" }, row)];
}

function act(key, words, onclick, { main = false, keys = null, off = false } = {}) {
  return h(
    "button.act.wide",
    { key, class: `${main ? "main" : ""} ${off ? "off" : ""}`, "data-action": key, "aria-keyshortcuts": keys, "aria-disabled": off ? "true" : null, onclick, onmousedown: keepFocus },
    h("span.act-word", {}, words),
  );
}

/** A pointer leaves the focus where it is: Enter and Space stay keys of the game. */
const keepFocus = (event) => event.preventDefault();

/** What the line over the buttons says: what is asked, what the cards are, or why they cannot be played. */
function says(table, ui, { ways, reason, canPlay }) {
  const { over } = table.round;
  if (ways.length) return ways.map((way) => readingWords(way.reading)).join(" / ");
  if (!canPlay) return t("doudizhu.why.cannot");
  if (reason === "none" && !ui.refused) return over ? t("doudizhu.ask.beat", { what: readingWords(over) }) : t("doudizhu.ask.lead");
  return t(`doudizhu.why.${reason}`, { what: over ? readingWords(over) : "" });
}

function line(state, words, isBad = false, isRefused = false) {
  return h(
    "p.act-clock",
    { key: isRefused ? "refused" : "clock", class: `${isBad ? "bad" : ""} ${isRefused ? "refused" : ""}`, role: "status" },
    clockFace(state.table.question.deadline_at_ms),
    h("span.act-says", {}, words),
  );
}

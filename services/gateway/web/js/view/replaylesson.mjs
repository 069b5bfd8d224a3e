// What can be learnt at a step of a replay: what was legal, what the bot would have done, what was waited for.
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { nameOfPlayer } from "./people.mjs";
import { waitFor } from "./waitfor.mjs";

/** Describe the lesson panel. */
export function lessonPart(state, controls, table) {
  const { replay } = state;
  const { round, seat, at } = replay;
  const who = nameOfPlayer(state, round.players[seat], seat);
  if (!replay.teaches(seat)) return h("p.hint", {}, t("replay.lesson.others"));
  const here = controls.replay.decisions.filter((answer) => answer.step === at);
  const steps = controls.replay.decisions.map((answer) => answer.step);
  return [
    h(
      "div.lesson-way",
      { key: "way" },
      h("button.plain", { "data-button": "decision-back", disabled: !steps.some((step) => step < at), onclick: () => controls.replay.toDecision(-1) }, "‹ ", t("replay.decision.back")),
      h("button.plain", { "data-button": "decision-on", disabled: !steps.some((step) => step > at), onclick: () => controls.replay.toDecision(1) }, t("replay.decision.on"), " ›"),
    ),
    here.length ? here.map((answer) => lesson(state, controls, table, answer)) : h("p.hint", { key: "none" }, t("replay.lesson.none", { who })),
  ];
}

function lesson(state, controls, table, { number, action, cause }) {
  const found = state.replay.lessons.get(number);
  if (!found) return waitFor(state, `replay.lesson.${number}`, () => controls.replay.learn());
  const { face } = table;
  const isSame = found.suggestion === action;
  const by = cause && cause !== "bot" ? ` (${t(`cause.${cause}`)})` : "";
  const others = found.alternatives.filter((one) => one.action !== found.suggestion && one.action !== action);
  const known = new Map(found.alternatives.map((one) => [one.action, one.waits]));
  const line = (key, words, one, props = {}) =>
    h(`div.lesson-line`, { key, "data-answer": one, ...props }, h("span.lesson-what", {}, words), h("b", {}, face.actionWords(one)), waitsLine(table, known.get(one)));
  return h(
    "article.lesson",
    { key: number, "data-lesson": number, class: isSame ? "is-same" : "is-other" },
    line("own", t("replay.lesson.answer"), action, { "data-chosen": "" }),
    by ? h("p.hint", { key: "by" }, by) : null,
    isSame
      ? h("p.lesson-same", { key: "same" }, icon("check"), t("replay.lesson.same"))
      : line("bot", t("replay.lesson.bot"), found.suggestion, { "data-suggested": "" }),
    found.huxi >= 0 ? h("p.lesson-fact", { key: "huxi" }, t("replay.lesson.huxi", { xi: found.huxi })) : null,
    found.waits.length ? h("div.lesson-now", { key: "now" }, h("span.lesson-what", {}, t("replay.lesson.waits")), waitsLine(table, found.waits)) : null,
    others.length
      ? h("details.lesson-others", { key: "others", open: others.length <= 8 }, h("summary", {}, t("replay.lesson.legal", { count: others.length })), others.map((one) => line(one.action, "", one.action)))
      : null,
  );
}

/** Cards that are waited for, each with how many are left and, where the game has it, the 息 of the hand then. */
function waitsLine(table, waits) {
  if (!waits?.length) return null;
  const left = waits.reduce((sum, wait) => sum + wait.left, 0);
  return h(
    "span.lesson-waits",
    { role: "group", "aria-label": t("replay.lesson.left", { kinds: waits.length, left }) },
    waits.map(({ card, left: copies, huxi }) =>
      h("span.lesson-wait", { key: card, class: copies ? "" : "is-gone" }, table.face.cardRow([card]), h("small", {}, `×${copies}`, huxi ? ` ${t("replay.lesson.xi", { xi: huxi })}` : "")),
    ),
  );
}

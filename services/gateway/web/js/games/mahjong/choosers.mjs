// What opens above the hand when a claim has several ways: runs, kongs, 亮倒.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { sortActions } from "./actions.mjs";
import { waitsAfter } from "./hints.mjs";
import { kouChoices } from "./moves.mjs";
import { copies } from "./tiles.mjs";
import { tile, tileRow, tileWords } from "./tileview.mjs";
import { waitsRow } from "./waitsview.mjs";

/** Describe the open choice, if any. */
export function chooser(game, state, controls) {
  const actions = sortActions(controls.play.asked);
  const { round } = state.table;
  const { chooser: open } = controls.play.ui;
  if (open === "chi" && actions.chis.length) return ways("chi", runsOf(actions, round), controls);
  if (open === "gang" && actions.kongs.length) return ways("gang", kongsOf(actions), controls);
  if (open === "liang" && actions.liangs.size) return liang(game, state, controls, actions);
  return null;
}

/** The three tiles of each run; the claimed one is marked. An action may name all three or only the lowest. */
function runsOf(actions, round) {
  return actions.chis.map(({ action, tiles }) => {
    const [low] = tiles;
    const run = [0, 1, 2].map((by) => `${low[0]}${Number(low[1]) + by}`);
    return { action, tiles: run, taken: run.indexOf(round.shown?.tile), words: "" };
  });
}

const kongsOf = (actions) => actions.kongs.map(({ action, kind, tile: of }) => ({ action, tiles: copies(of, kind === "bu" ? 1 : 4), taken: -1, words: t(`mahjong.meld.${kind}`) }));

function ways(kind, all, controls) {
  return h(
    "div.chooser",
    { key: "chooser", role: "group", "aria-label": t(`mahjong.choose.${kind}`), "data-chooser": kind },
    all.map(({ action, tiles, taken, words }, at) =>
      h(
        "button.way",
        { key: action, "data-way": action, "aria-keyshortcuts": String(at + 1), "aria-label": `${words} ${tiles.map(tileWords).join(" ")}`, onclick: () => controls.play.act(action) },
        words ? h("span.way-words", {}, words) : null,
        h("span.way-tiles", {}, tileRow(tiles, (_, place) => ({ class: place === taken ? "taken" : "" }))),
      ),
    ),
  );
}

/** 亮倒: the discards with what each leads to; for the chosen one the triplets that may stay hidden. */
function liang(game, state, controls, actions) {
  const { round } = state.table;
  const { ui } = controls.play;
  const choices = kouChoices(actions, ui);
  return h(
    "div.chooser.reveal",
    { key: "chooser", role: "group", "aria-label": t("mahjong.liang.title"), "data-chooser": "liang" },
    h(
      "header.reveal-head",
      {},
      h("b", {}, t("mahjong.liang.title")),
      h("span", {}, t("mahjong.liang.words")),
      h("button.plain.reveal-back", { "data-button": "liang-back", onclick: () => controls.play.setUi({ chooser: "", kou: [] }) }, t("mahjong.liang.back")),
    ),
    h(
      "div.reveal-ways",
      { role: "radiogroup", "aria-label": t("mahjong.liang.pick") },
      [...actions.liangs.keys()].map((one) => {
        const isOn = ui.selected?.tile === one;
        return h(
          "button.reveal-way",
          { key: one, role: "radio", "aria-checked": String(isOn), class: isOn ? "on" : "", "data-liang": one, onclick: () => controls.play.setUi({ selected: { id: "", tile: one }, kou: [] }) },
          waitsRow(waitsAfter(game, round, one), h("span.waits-lead", {}, t("mahjong.waits.discard"), tile(one), "→")),
        );
      }),
    ),
    choices.length
      ? h(
          "div.reveal-kou",
          {},
          h("span", {}, t("mahjong.liang.kou")),
          choices.map(({ tile: of, isOn, next, isPossible }) =>
            h(
              "button.kou-way",
              { key: of, "data-kou": of, "aria-pressed": String(isOn), "aria-label": t("mahjong.liang.kou_one", { tile: tileWords(of) }), disabled: !isPossible, onclick: () => controls.play.setUi({ kou: next }) },
              tileRow(copies(isOn ? "?" : of, 3)),
            ),
          ),
        )
      : null,
  );
}

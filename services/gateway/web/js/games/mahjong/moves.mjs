// What a person does with the tiles: touch, discard, claim, choose.
import { sortActions } from "./actions.mjs";
import { standing } from "./handorder.mjs";

/** What a mahjong game keeps about its part of the page. */
export const newUi = () => ({
  /** The raised tile: `{id, tile}`. */
  selected: null,
  /** What is chosen from: "", `chi`, `gang` or `liang`. */
  chooser: "",
  /** 扣: the triplets that will stay hidden. */
  kou: [],
});

/** A question came: what was raised before stays raised, so that one can think ahead; the only discard rises by itself. */
export function onAsked(ui, table) {
  const { question, round } = table;
  const [first = "", ...others] = question?.actions ?? [];
  const only = !others.length && first.startsWith("discard ") ? first.slice("discard ".length) : "";
  const wanted = only ? { id: "", tile: only } : ui.selected;
  const stands = wanted ? standing(round.hand, round.drawn) : [];
  const stand = stands.find((one) => one.id === wanted.id) ?? stands.findLast((one) => one.tile === wanted.tile);
  return { ...newUi(), selected: stand ? { id: stand.id, tile: stand.tile } : null };
}

/** Claims of a question in the order of their buttons. */
export function claimsOf(actions) {
  const keys = [];
  if (actions.hu) keys.push("hu");
  if (actions.liangs.size) keys.push("liang");
  if (actions.kongs.length) keys.push("gang");
  if (actions.peng) keys.push("peng");
  if (actions.chis.length) keys.push("chi");
  if (actions.pass) keys.push("pass");
  return keys;
}

/** Take a claim: at once if there is one way only, else open the ways to choose from. */
export function claim(controls, key) {
  const actions = sortActions(controls.play.asked);
  const { ui } = controls.play;
  if (key === "hu" || key === "peng" || key === "pass") {
    if (actions[key]) controls.play.act(key);
    return;
  }
  const ways = { chi: actions.chis, gang: actions.kongs, liang: [...actions.liangs.values()].flat() }[key];
  if (!ways?.length) return;
  if (ways.length === 1 && key !== "liang") controls.play.act(ways[0].action);
  else if (ui.chooser === key) controls.play.setUi({ chooser: "" });
  else if (key === "liang") openLiang(controls, actions);
  else controls.play.setUi({ chooser: key });
}

/** Begin 亮倒 with the raised tile if it can be let go with it, else with the only one that can. */
function openLiang(controls, actions) {
  const { selected } = controls.play.ui;
  const only = actions.liangs.size === 1 ? [...actions.liangs.keys()][0] : "";
  const tile = selected && actions.liangs.has(selected.tile) ? selected.tile : only;
  controls.play.setUi({ chooser: "liang", kou: [], selected: tile ? { id: selected?.tile === tile ? selected.id : "", tile } : null });
}

/** A tile of the own hand was touched: first it rises, then it is let go. In 亮倒 it is only chosen. */
export function touchTile(controls, id, tile) {
  const actions = sortActions(controls.play.asked);
  const { ui } = controls.play;
  controls.sound.play("tap");
  if (ui.chooser === "liang") {
    if (actions.liangs.has(tile)) controls.play.setUi({ selected: { id, tile }, kou: [] });
    return;
  }
  if (ui.selected?.id === id && actions.discards.has(tile)) controls.play.act(actions.discards.get(tile));
  else controls.play.setUi({ selected: ui.selected?.id === id ? null : { id, tile } });
}

/** Let a tile go, if it may go now. */
export function letGo(controls, tile) {
  const action = sortActions(controls.play.asked).discards.get(tile);
  if (action && controls.play.ui.chooser !== "liang") controls.play.act(action);
}

/** The 亮倒 that is chosen now, or null. */
export function chosenLiang(actions, ui) {
  const ways = actions.liangs.get(ui.selected?.tile) ?? [];
  return ways.find((way) => way.kou.length === ui.kou.length && way.kou.every((tile) => ui.kou.includes(tile))) ?? null;
}

/** The triplets that may be hidden with this discard, each with whether it may be added to those chosen. */
export function kouChoices(actions, ui) {
  const ways = actions.liangs.get(ui.selected?.tile) ?? [];
  const all = [...new Set(ways.flatMap((way) => way.kou))];
  const allows = (set) => ways.some((way) => way.kou.length === set.length && way.kou.every((tile) => set.includes(tile)));
  return all.map((tile) => {
    const isOn = ui.kou.includes(tile);
    const next = isOn ? ui.kou.filter((one) => one !== tile) : [...ui.kou, tile];
    return { tile, isOn, next, isPossible: allows(next) };
  });
}

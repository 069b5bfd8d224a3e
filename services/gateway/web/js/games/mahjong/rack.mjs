// The own melds and the hand.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { dragStart } from "../../view/drag.mjs";
import { sortActions } from "./actions.mjs";
import { standing } from "./handorder.mjs";
import { waitsAfter } from "./hints.mjs";
import { letGo, touchTile } from "./moves.mjs";
import { HIDDEN, copies, isFlower } from "./tiles.mjs";
import { meldView, tile, tileWords } from "./tileview.mjs";

/** Describe melds and hand of the own seat; a spectator sees backs. */
export function rack(game, state, controls) {
  const { table } = state;
  const [at] = table.around;
  const { round } = table;
  const actions = sortActions(controls.play.asked);
  const isOwn = round.seat === at && round.seat >= 0;
  const stands = isOwn ? standing(round.hand, round.drawn) : [];
  const melds = round.melds[at] ?? [];
  const { ui } = controls.play;
  const sizes = { "--tiles": String(Math.max(1, isOwn ? stands.length : (round.counts[at] ?? 0))), "--melds": String(melds.length) };
  return h(
    "section.rack",
    {
      key: "rack",
      "aria-label": t("hand.title"),
      class: `${actions.discards.size ? "to-discard" : ""} ${ui.chooser === "liang" ? "to-reveal" : ""} ${game.isRevealed(round, at) ? "is-revealed" : ""}`,
      style: sizes,
    },
    h("div.own-melds", { key: "melds" }, melds.map((meld, place) => meldView(meld, at, round.seatCount, place))),
    isOwn
      ? h("div.hand", { key: "hand" }, stands.map((stand, place) => handTile({ game, state, controls, actions, stand, place })))
      : h("div.hand.of-other", { key: "backs" }, game.openTiles(round, at).map((one, place) => tile(one, { key: place }))),
  );
}

/** Tiles of a hand that is not the listener's: what everybody may see, backs for the rest. */
export const backs = (count) => copies(HIDDEN, Math.max(0, count));

function handTile({ game, state, controls, actions, stand, place }) {
  const { round } = state.table;
  const { ui } = controls.play;
  const isAsked = actions.discards.size > 0;
  const isRevealing = ui.chooser === "liang";
  const isLegal = isRevealing ? actions.liangs.has(stand.tile) : actions.discards.has(stand.tile);
  const isSelected = ui.selected?.id === stand.id || (isRevealing && ui.selected?.id === "" && ui.selected.tile === stand.tile && isLastOf(round, stand));
  const reason = isAsked && !isLegal ? (isRevealing ? t("mahjong.liang.not_this") : game.banReason(round, stand.tile)) : "";
  const isLocked = game.isRevealed(round, round.seat);
  const waits = isAsked && isLegal && !isLocked ? waitsAfter(game, round, stand.tile) : [];
  const left = waits.reduce((sum, one) => sum + one.left, 0);
  const isDanger = game.isDangerous(round, stand.tile);
  const marks = [
    stand.isDrawn && t("mahjong.tile.drawn"),
    waits.length > 0 && t("mahjong.waits.after", { count: left }),
    isDanger && t("mahjong.tile.danger"),
    game.isHiddenTriplet(round, stand.tile) && t("mahjong.tile.kou"),
    reason,
  ];
  return h(
    "button.hand-card.hand-tile",
    {
      key: stand.id,
      class: [
        isSelected ? "selected" : "",
        isLegal ? "legal" : "",
        isAsked && !isLegal ? "banned" : "",
        stand.isDrawn ? "drawn" : "",
        stand.tile === round.shown?.tile && !round.end ? "same" : "",
        isDanger ? "danger" : "",
        isFlower(stand.tile) ? "flower" : "",
        game.isHiddenTriplet(round, stand.tile) ? "kou" : "",
      ].join(" "),
      "aria-label": [tileWords(stand.tile), ...marks.filter(Boolean)].join(t("comma")),
      "aria-pressed": String(isSelected),
      "aria-disabled": isAsked && !isLegal ? "true" : null,
      "aria-keyshortcuts": KEYS[place] ?? null,
      title: reason || null,
      "data-card": stand.tile,
      "data-id": stand.id,
      onclick: (event) => {
        if (!event.currentTarget.dataset.dragged) touchTile(controls, stand.id, stand.tile);
      },
      onpointerdown: (event) => isLegal && !isRevealing && dragStart(event, () => letGo(controls, stand.tile)),
    },
    h("span.tile", { class: `face-${stand.tile}`, "aria-hidden": "true" }),
    waits.length ? h("span.ready-mark-small", { "aria-hidden": "true" }, t("mahjong.waits.short"), h("b", {}, String(left))) : null,
    game.isHiddenTriplet(round, stand.tile) ? h("span.kou-mark", { "aria-hidden": "true" }, t("mahjong.tile.kou.short")) : null,
    isDanger ? h("span.danger-mark", { "aria-hidden": "true" }, "!") : null,
  );
}

/** Of several equal tiles only one rises when a discard was chosen by its kind. */
const isLastOf = (round, stand) => stand.id === `${stand.tile}.${round.hand.filter((one) => one === stand.tile).length - 1}`;

/** Keys that pick a tile, from the left. */
export const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "=", "[", "]"];

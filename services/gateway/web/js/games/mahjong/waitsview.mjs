// 听: the tiles that win, each with how many are still unseen.
import { t } from "../../lib/i18n.mjs";
import { h } from "../../lib/vdom.mjs";
import { tile, tileWords } from "./tileview.mjs";

/** A row of waits `[{tile, left, worth?, selfOnly?}]`; `lead` says what they follow from. */
export function waitsRow(waits, lead = null) {
  const total = waits.reduce((sum, one) => sum + one.left, 0);
  const words = t("mahjong.waits.words", { tiles: waits.map((one) => t("mahjong.waits.one", { tile: tileWords(one.tile), left: one.left })).join(t("comma")) });
  return h(
    "div.waits",
    { key: "waits", role: "img", "aria-label": words, "data-waits": waits.map((one) => one.tile).join(" ") },
    lead,
    h("b.waits-word", {}, t("mahjong.waits")),
    waits.map((one) =>
      h(
        "span.wait-tile",
        { key: one.tile, class: `${one.left ? "" : "gone"} ${one.selfOnly ? "self-only" : ""}` },
        tile(one.tile),
        h("span.wait-left", {}, one.worth ? `${one.left}·${one.worth}` : String(one.left)),
      ),
    ),
    waits.length > 1 ? h("span.waits-sum", {}, t("mahjong.waits.sum", { count: total })) : null,
  );
}

/** What a revealed seat waits for, small. */
export function openWaits(waits) {
  if (!waits.length) return null;
  return h("span.open-waits", { role: "img", "aria-label": t("mahjong.waits.words", { tiles: waits.map(tileWords).join(t("comma")) }) }, h("b", {}, t("mahjong.waits")), waits.map((one) => tile(one, { key: one })));
}

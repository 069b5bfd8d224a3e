// The score sheet of a room: points by round and seat, the sums, and a picture of it to keep.
import { sheetOf } from "../game/scoresheet.mjs";
import { signed, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { saveBlob } from "./download.mjs";
import { peopleHere } from "./friends.mjs";
import { icon } from "./icons.mjs";
import { timeWords } from "./parts.mjs";
import { avatar, nameOfPlayer } from "./people.mjs";
import { changesOf, gameTitle, presetsOf } from "./presets.mjs";
import { lengthWords } from "./room.mjs";
import { drawSheet } from "./sheetpicture.mjs";
import { waitFor } from "./waitfor.mjs";

const tone = (value) => (value > 0 ? "plus" : value < 0 ? "minus" : "");

/** The dialog of the score sheet. */
export function sheetDialog(state, controls) {
  const { sheet, tableId } = state.dialog;
  if (!sheet) return waitFor(state, "sheet", () => controls.rooms.loadSheet(tableId));
  const { room } = sheet;
  const { rows, sums, best } = sheetOf(sheet, state.table?.tableId === tableId ? state.table : null);
  const names = room.places.map((place) => nameOfPlayer(state, place.player_id, place.seat));
  const cells = (points) => points.map((value, seat) => h("td", { key: seat, class: tone(value) }, signed(value)));
  return [
    h("p.sheet-facts", {}, titleOf(state, room)),
    rows.length
      ? h(
          "div.sheet-scroll",
          { tabindex: "0", role: "group", "aria-label": t("sheet.title") },
          h(
            "table.sheet",
            {},
            h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("sheet.round")), room.places.map((place) => h("th", { key: place.seat, scope: "col", class: best.includes(place.seat) ? "best" : "" }, h("span.sheet-who", {}, avatar(state, place.player_id, place.seat), h("span.sheet-name", {}, names[place.seat]), best.includes(place.seat) ? icon("crown") : null))))),
            h("tbody", {}, rows.map((row) => h("tr", { key: row.no, "data-round": row.no }, h("th", { scope: "row" }, String(row.no)), cells(row.points)))),
            h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, t("sheet.sum")), cells(sums))),
          ),
        )
      : h("p.nothing", {}, t("sheet.none")),
    peopleHere(state, controls, room.places.map((place) => place.player_id)),
    rows.length ? h("div.dialog-buttons", {}, h("button.primary", { "data-button": "picture", disabled: state.busy.has("picture"), onclick: () => save(state, controls, sheet) }, icon("save"), t("sheet.save"))) : null,
  ];
}

/** What was played: the rule set that a room began with, and that it was changed, as the room says. */
function titleOf(state, room) {
  const changed = Object.keys(changesOf(room)).length ? [t("room.custom")] : [];
  const preset = presetsOf(state, room.game, [room.preset])[0].title;
  return [gameTitle(state, room.game), preset, ...changed, lengthWords(room), t("table.room", { code: room.room_code })].join(" · ");
}

/** Let the browser keep the sheet as a picture. */
function save(state, controls, sheet) {
  return controls.once("picture", async () => {
    const { room } = sheet;
    const { rows, sums, places, best } = sheetOf(sheet, state.table?.tableId === room.table_id ? state.table : null);
    const last = sheet.rounds.at(-1)?.ended_at_ms ?? room.created_at_ms;
    const isOver = room.state === "closed" || Boolean(state.table?.matchEnd);
    const canvas = drawSheet({
      title: t(isOver ? "sheet.final" : "sheet.so_far"),
      facts: titleOf(state, room),
      when: `${timeWords(room.created_at_ms)} – ${timeWords(last, { date: false })}`,
      names: room.places.map((place) => nameOfPlayer(state, place.player_id, place.seat)),
      words: { round: t("sheet.round"), sum: t("sheet.sum"), foot: t("sheet.foot") },
      rows,
      sums,
      places,
      best,
    });
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    saveBlob(`paiju-${room.room_code}.png`, blob);
    controls.toast(t("sheet.saved"), "good");
  });
}

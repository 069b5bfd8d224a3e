// The page of a replay while there is nothing to see yet, or nothing at all.
import { isWhole } from "../control/replaypage.mjs";
import { hashOf } from "../control/router.mjs";
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { notice, panel } from "./parts.mjs";
import { waitFor } from "./waitfor.mjs";

/** Describe `#replay/…` before its round is there. */
export function replayPage(state, controls, path) {
  const mine = controls.pages.replay;
  const { refused } = mine.own;
  if (path[0] === "record") return [refused ? refusal(refused) : null, uploadPanel(state, controls)];
  if (!isWhole(path)) return [refusal({ words: t("replay.link.part"), why: "" }), toHistory()];
  if (!refused) return waitFor(state, "replay.round", () => mine.open(path));
  return [refusal(refused), toHistory()];
}

const refusal = ({ words, why }) => notice([words, why ? h("small.technical", { lang: "en" }, why) : null], "bad", { key: "refused", "data-refused": "" });

const toHistory = () => h("a.plain.link-button", { key: "history", href: hashOf("history") }, icon("list"), t("history.title"));

/** Bring a record from a file. */
export function uploadPanel(state, controls) {
  const mine = controls.pages.replay;
  const take = ({ currentTarget: node }) => {
    const [file] = node.files;
    node.value = "";
    if (file) mine.upload(file);
  };
  return panel(
    "upload",
    t("replay.upload"),
    {},
    h("p.soft", {}, t("replay.upload.hint")),
    mine.own.refused && state.page?.name === "history" ? refusal(mine.own.refused) : null,
    h("label.plain.upload", { class: mine.isBusy("upload") ? "busy" : "" }, icon("open"), h("span", {}, t("replay.upload.choose")), h("input", { type: "file", accept: ".txt,text/plain", "data-field": "record", onchange: take })),
  );
}

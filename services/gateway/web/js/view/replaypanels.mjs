// Beside a replay: what the round came to and whether its deal was fair, what can be learnt at this step, links and files.
import { recordFileName } from "../game/record.mjs";
import { currentLanguage, signed, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { copyText, saveText } from "./download.mjs";
import { icon } from "./icons.mjs";
import { timeWords } from "./parts.mjs";
import { avatar, nameOfPlayer } from "./people.mjs";
import { lessonPart } from "./replaylesson.mjs";
import { auditVerdict, fairVerdict, namedSeats } from "./result.mjs";

const PARTS = { score: scorePart, lesson: lessonPart, share: sharePart };

/** Describe the open panel. */
export function replayPanel(state, controls, table) {
  const { panel } = state.replay;
  return h(
    "aside.replay-panel",
    { key: "panel", "data-panel": panel, "aria-label": t(`replay.${panel}`) },
    h(
      "header.replay-panel-head",
      {},
      h("h2", {}, t(`replay.${panel}`)),
      h("button.bar-button", { "data-button": "close-panel", "aria-label": t("close"), onclick: () => controls.replay.panel(panel) }, icon("close")),
    ),
    h("div.replay-panel-body", { key: panel, tabindex: "0" }, PARTS[panel](state, controls, table)),
  );
}

function scorePart(state) {
  const { round, fair, audit } = state.replay;
  const lines = round.why[currentLanguage() === "en" ? "en" : "zh"];
  return [
    h(
      "table.replay-scores",
      { key: "scores" },
      h("caption", {}, round.startedAtMs ? timeWords(round.startedAtMs) : t("scores.points")),
      h(
        "tbody",
        {},
        round.players.map((player, seat) =>
          h(
            "tr",
            { key: seat },
            h("th", { scope: "row" }, avatar(state, player, seat), h("span", {}, nameOfPlayer(state, player, seat))),
            h("td", { class: tone(round.points[seat]) }, signed(round.points[seat] ?? 0)),
          ),
        ),
      ),
    ),
    lines.length
      ? h("ol.replay-why", { key: "why", "aria-label": t("result.why") }, lines.map((line, at) => h("li", { key: at }, namedSeats(state, line, round.players))))
      : h("p.hint", { key: "why" }, t("replay.draw")),
    h("div.verdicts", { key: "proof" }, dealLine(round), round.record.length ? fairVerdict(fair) : null, audit ? auditVerdict(audit) : null),
    h("p.hint", { key: "id" }, t("record.round", { id: round.roundId })),
  ];
}

const tone = (points) => (points > 0 ? "plus" : points < 0 ? "minus" : "");

/** What the service found of the deal. */
function dealLine({ deal, players }) {
  if (!deal) return null;
  const words = deal.nonces_given ? t("replay.deal", { given: deal.nonces_given, all: players.length }) : t("replay.deal.alone");
  return h("p.verdict", { class: deal.is_committed ? "is-agreed" : "is-disputed", "data-deal": deal.is_committed ? "ok" : "bad" }, icon("check"), h("span", {}, words));
}

function sharePart(state, controls) {
  const { round, isMine } = state.replay;
  return [
    round.record.length
      ? h(
          "section.replay-file",
          { key: "file" },
          h("button.plain", { "data-button": "download", onclick: () => saveText(recordFileName(round.roundId), new TextDecoder().decode(round.record)) }, icon("save"), t("record.save")),
          h("p.hint", {}, t("replay.file")),
        )
      : null,
    isMine ? noteForm(state, controls) : null,
    isMine ? links(state, controls) : null,
  ];
}

function noteForm({ replay, busy }, controls) {
  const { round } = replay;
  const keep = (event) => {
    event.preventDefault();
    controls.replay.favourite(event.currentTarget.elements.note.value);
  };
  return h(
    "form.replay-note",
    { key: "note", onsubmit: keep },
    h("label", {}, h("span", {}, t("replay.note")), h("input", { name: "note", maxlength: "100", autocomplete: "off", placeholder: t("replay.note.hint"), oncreate: (node) => (node.value = round.note) })),
    h("button.plain", { "data-button": "note", disabled: busy.has("replay.favourite") }, icon("star"), t(round.isFavourite ? "replay.note.keep" : "replay.star")),
  );
}

function links(state, controls) {
  const { links: made, round } = state.replay;
  const make = (viewer, words) =>
    h("button.plain", { key: viewer, "data-share": viewer, disabled: state.busy.has("replay.share"), onclick: () => controls.replay.share(viewer, 30) }, icon("share"), words);
  return h(
    "section.replay-links",
    { key: "links" },
    h("h3", {}, t("replay.links")),
    h("p.hint", {}, t("replay.links.hint")),
    h("div.replay-make", {}, make("VIEWER_ABOVE", t("replay.share.above")), make("VIEWER_SEAT", t("replay.share.seat"))),
    (made ?? []).map((link) => linkLine(state, controls, link, round)),
  );
}

/** The address that opens a link. */
const addressOf = (token) => `${location.origin}${location.pathname}#/replay/${token}`;

function linkLine(state, controls, link) {
  const address = addressOf(link.token);
  const copy = async () => {
    const done = await copyText(address);
    controls.toast(t(done ? "replay.copied" : "replay.copy.self"), done ? "good" : "plain");
  };
  return h(
    "div.replay-link",
    { key: link.token, "data-link": link.token },
    h("span.replay-link-what", {}, t(link.viewer === "VIEWER_ABOVE" ? "replay.share.above" : "replay.share.seat"), " · ", t("replay.until", { when: timeWords(link.expires_at_ms, { time: false }) })),
    h("input", { readonly: true, value: address, "aria-label": t("replay.address"), onfocus: ({ currentTarget }) => currentTarget.select() }),
    h("button.plain", { "data-button": "copy", onclick: copy }, icon("copy"), t("replay.copy")),
    h("button.plain", { "data-button": "revoke", disabled: state.busy.has("replay.share"), onclick: () => controls.replay.revoke(link.token) }, t("replay.revoke")),
  );
}

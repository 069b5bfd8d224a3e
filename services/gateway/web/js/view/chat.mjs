// Talk at the table: ready-made phrases and free text.
import { PHRASES } from "../control/chat.mjs";
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { nameOfPlayer } from "./people.mjs";

/** Describe the panel. */
export function chatPanel(state, controls) {
  const { messages } = state.chat;
  const rule = state.table?.chatRule ?? "all";
  const input = () => document.querySelector(".chat-input");
  const send = (event) => {
    event.preventDefault();
    const text = input().value.trim();
    input().value = "";
    controls.chat.say({ text });
  };
  return h(
    "aside.chat",
    { key: "chat", "aria-label": t("chat.title") },
    h("header.chat-head", {}, h("h2", {}, t("chat.title")), h("button.icon-button", { "aria-label": t("close"), onclick: () => controls.chat.toggle(false) }, icon("close"))),
    h(
      "div.chat-body",
      {},
      rule === "no" ? h("p.nothing", { key: "off" }, t("chat.off")) : h("div.phrases", { key: "phrases" }, PHRASES.map((phrase) => h("button.phrase", { key: phrase, onclick: () => controls.chat.say({ phrase }) }, t(phrase)))),
      h(
        "ol.messages",
        { "aria-live": "polite" },
        messages.length ? null : h("li.nothing", { key: "none" }, t("chat.none")),
        [...messages].reverse().map((message) =>
          h("li", { key: message.message_id }, h("b", {}, nameOfPlayer(state, message.player_id)), " ", message.phrase ? t(message.phrase) : message.text),
        ),
      ),
    ),
    rule !== "all" ? (rule === "phrases" ? h("p.chat-rule", {}, t("chat.phrases_only")) : null) : h(
      "form.chat-form",
      { onsubmit: send },
      h("input.chat-input", { type: "text", maxlength: 120, "aria-label": t("chat.say"), placeholder: t("chat.say"), autocomplete: "off" }),
      h("button.primary", { type: "submit" }, t("chat.send")),
    ),
  );
}

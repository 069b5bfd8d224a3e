// Six digits with a thumb.
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";

const DIGITS = 6;

/** Describe the keypad; the room is joined when the last digit is typed. */
export function keypad(state, controls) {
  const code = state.dialog.code ?? "";
  const type = (digit) => {
    controls.sound.play("tap");
    const next = (code + digit).slice(0, DIGITS);
    controls.change((s) => (s.dialog.code = next));
    if (next.length === DIGITS && code.length < DIGITS) controls.rooms.join(next);
  };
  const back = () => controls.change((s) => (s.dialog.code = code.slice(0, -1)));
  const key = (words, onclick, label) => h("button.key", { key: words, onclick, "aria-label": label ?? words }, words);
  return h(
    "div.keypad",
    {
      tabindex: "0",
      onkeydown: (event) => {
        if (/^\d$/.test(event.key)) type(event.key);
        else if (event.key === "Backspace") back();
      },
      oncreate: (node) => setTimeout(() => node.focus({ preventScroll: true }), 0),
    },
    h("p.room-code", { "aria-live": "polite", "aria-label": code || t("room.code") }, Array.from({ length: DIGITS }, (_, at) => h("span.digit", { key: at }, code[at] ?? ""))),
    h("div.keys", {}, [..."123456789"].map((digit) => key(digit, () => type(digit))), key("C", () => controls.change((s) => (s.dialog.code = "")), t("keypad.clear")), key("0", () => type("0")), key("⌫", back, t("keypad.back"))),
  );
}

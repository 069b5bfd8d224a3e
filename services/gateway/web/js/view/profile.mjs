// The own profile.
import { t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { field, panel } from "./parts.mjs";
import { AVATARS, avatarPicture } from "./people.mjs";
import { waitFor } from "./waitfor.mjs";

/** Describe the page `#profile`. */
export function profilePage(state, controls) {
  const mine = controls.pages.profile;
  const { profile } = state;
  if (!profile) return waitFor(state, "profile", () => mine.open());
  const { changes } = mine.own;
  const now = { ...profile, ...changes };
  const save = (event) => {
    event.preventDefault();
    mine.save();
  };
  return h(
    "form.profile",
    { onsubmit: save },
    panel(
      "name",
      t("profile.nickname"),
      {},
      field("nickname", { label: t("profile.nickname"), fill: now.nickname, type: "text", maxlength: 12, required: true, oninput: (event) => mine.choose("nickname", event.target.value.trim()) }),
    ),
    panel(
      "avatar",
      t("profile.avatar"),
      {},
      h(
        "div.avatars",
        { role: "radiogroup", "aria-label": t("profile.avatar") },
        AVATARS.map((key) =>
          h(
            "button.avatar-choice",
            { key, type: "button", role: "radio", "aria-checked": String(key === now.avatar), "aria-label": `${t("profile.avatar")} ${Number(key.slice(1))}`, onclick: () => mine.choose("avatar", key) },
            avatarPicture(key),
          ),
        ),
      ),
    ),
    h("div.page-buttons", {}, h("button.primary", { type: "submit", disabled: mine.isBusy("save") || !Object.keys(changes).length }, t("save"))),
  );
}

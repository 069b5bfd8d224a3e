// The own profile.
import { currentLanguage, t } from "../lib/i18n.mjs";
import { currentLooks, FELTS, THEMES } from "../lib/theme.mjs";
import { h } from "../lib/vdom.mjs";
import { ratingsPanel } from "./friendsroom.mjs";
import { plotsLink, statisticsList } from "./history.mjs";
import { chips, field, panel, timeWords } from "./parts.mjs";
import { AVATARS, avatarPicture } from "./people.mjs";
import { REGIONS, DIALECTS } from "./places.mjs";
import { waitFor } from "./waitfor.mjs";

const NICKNAME_MAX = 12;
const HOMEPAGE_MAX = 200;
/** What cannot be seen in a name, or turns it around: controls, formats (zero-width, bidi), surrogates, line ends. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800\u034f]/u;

/** Describe the page `#profile`. */
export function profilePage(state, controls) {
  const mine = controls.pages.profile;
  if (!state.profile) return waitFor(state, "profile", () => mine.open());
  return [others(state, mine), looks(mine), ratingsPanel(state, mine.own.ratings), statistics(state, mine)];
}

/** What is wrong with what was typed, by field; the service has the last word. */
export function wrongWith({ nickname = "", homepage = "" }) {
  const letters = [...nickname.normalize("NFKC").trim()].length;
  const isAddress = !homepage || (/^https:\/\/[^\s/]+\.[^\s/]+/.test(homepage) && homepage.length <= HOMEPAGE_MAX);
  return {
    nickname: HIDDEN.test(nickname) ? t("profile.nickname.hidden") : letters > NICKNAME_MAX ? t("profile.nickname.long") : letters ? "" : t("profile.nickname.empty"),
    homepage: isAddress ? "" : t("profile.homepage.bad"),
  };
}

function others(state, mine) {
  const { profile } = state;
  const { changes, refused } = mine.own;
  const now = { ...profile, ...changes };
  const wrong = wrongWith(now);
  const errorOf = (name) => wrong[name] || (refused?.field === name ? refused.words[currentLanguage() === "en" ? "en" : "zh"] : "");
  const isChanged = Object.keys(changes).length > 0;
  const save = (event) => {
    event.preventDefault();
    mine.save();
  };
  const typing = (name) => ({ fill: profile[name] ?? "", error: errorOf(name), oninput: (event) => mine.choose(name, event.target.value.trim()) });
  const picking = (name, codes) => ({
    tag: "select",
    fill: profile[name] ?? "",
    error: errorOf(name),
    options: [["", t("profile.none")], ...codes.map((code) => [code, t(`${name}.${code}`)])],
    onchange: (event) => mine.choose(name, event.target.value),
  });
  return h(
    "form",
    { key: "others", onsubmit: save },
    panel(
      "others",
      t("profile.who"),
      {},
      h("div.own-head", {}, avatarPicture(now.avatar, { class: "large" }), h("div.own-words", {}, h("b", {}, now.nickname), h("span.soft", {}, t("profile.since", { when: timeWords(profile.created_at_ms, { time: false }) })))),
      field("nickname", { label: t("profile.nickname"), hint: t("profile.nickname.about"), type: "text", maxlength: 32, required: true, ...typing("nickname") }),
      h("span.field-label", {}, t("profile.avatar")),
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
      h(
        "div.field-pair",
        {},
        field("region", { label: t("profile.region"), ...picking("region", REGIONS) }),
        cityField(mine, now, picking("city", [])),
        field("dialect", { label: t("profile.dialect"), ...picking("dialect", DIALECTS) }),
      ),
      field("homepage", { label: t("profile.homepage"), hint: t("profile.homepage.about"), type: "url", inputmode: "url", maxlength: HOMEPAGE_MAX, ...typing("homepage") }),
      h(
        "div.page-buttons",
        {},
        isChanged ? h("span.soft", { role: "status" }, t("profile.changed")) : null,
        h("button.primary", { type: "submit", disabled: mine.isBusy("save") || !isChanged || Object.values(wrong).some(Boolean) }, t("save")),
      ),
    ),
  );
}

/** Where within the region: only if that has cities, and they have come. */
function cityField(mine, { region, city }, picking) {
  const here = (mine.own.cities ?? []).filter((one) => one.region === region);
  if (!here.length) return null;
  const options = [["", t("profile.none")], ...here.map((one) => [one.code, currentLanguage() === "en" ? one.en : one.zh])];
  // Another region, another list: made anew with nothing chosen.
  return h("div.field-own", { key: region }, field("city", { label: t("profile.city"), ...picking, fill: city ?? "", options }));
}

function looks(mine) {
  const { theme, felt } = currentLooks();
  return panel(
    "looks",
    t("profile.looks"),
    {},
    h("p.field-label", {}, t("profile.theme"), " ", h("span.soft", {}, t("profile.theme.about"))),
    chips("theme", t("profile.theme"), THEMES.map((one) => [one, t(`theme.${one}`)]), theme, (value) => mine.theme(value)),
    h("p.field-label", {}, t("profile.felt"), " ", h("span.soft", {}, t("profile.felt.about"))),
    chips("felt", t("profile.felt"), FELTS.map((one) => [one, [h("span.felt-sample", { class: `of-${one}`, "aria-hidden": "true" }), t(`felt.${one}`)]]), felt, (value) => mine.felt(value)),
  );
}

function statistics(state, mine) {
  const { statistics: known } = mine.own;
  return panel("statistics", t("profile.statistics"), {}, known ? [statisticsList(state, known), plotsLink()] : waitFor(state, "profile.statistics", () => mine.loadStatistics()));
}

// What limits playing: today, age, own limits, self-exclusion.
import { EXCLUSION_DAYS } from "../control/limits.mjs";
import { grouped, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { amountWords, chips, confirmed, field, notice, panel, timeWords } from "./parts.mjs";
import { waitFor } from "./waitfor.mjs";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const BANDS = [1, 2, 3, 4];
const BAND_NAMES = { AGE_BAND_UNDER_8: 1, AGE_BAND_8_15: 2, AGE_BAND_16_17: 3, AGE_BAND_ADULT: 4 };

/** Describe the page `#limits`. */
export function limitsPage(state, controls) {
  const mine = controls.pages.limits;
  const { protection } = mine.own;
  if (!protection) return panel("today", t("limits.today"), {}, waitFor(state, "limits.protection", () => mine.load()));
  return [today(protection), age(mine, protection), own(mine, protection), exclusion(mine, protection)];
}

/** An age band as a number, 1 to 4; 0 = not declared. */
export const bandOf = (protection) => BAND_NAMES[protection.band] ?? (Number(protection.band) || 0);
const minutesWords = (minutes) => (minutes ? t("limits.minutes", { count: minutes }) : t("limits.free"));
const goldWords = (amount) => (amount ? t("limits.gold", { amount: grouped(amount) }) : t("limits.free"));

// ---- today ----

function today(protection) {
  const { verdict, windows } = protection;
  const facts = [
    ["played", t("limits.minutes", { count: Math.floor(protection.played_today_ms / MINUTE_MS) })],
    ["left", verdict.left_ms < 0 ? t("limits.free") : t("limits.minutes", { count: Math.floor(verdict.left_ms / MINUTE_MS) })],
    ["net", amountWords(protection.net_today)],
    ["left.loss", verdict.left_loss < 0 ? t("limits.free") : t("limits.gold", { amount: grouped(verdict.left_loss) })],
  ];
  return panel(
    "today",
    t("limits.today"),
    {},
    mayPlay(verdict),
    h(
      "dl.limit-facts",
      {},
      facts.map(([name, value]) => h("div", { key: name, "data-fact": name }, h("dt.soft", {}, t(`limits.${name}`)), h("dd", {}, value))),
    ),
    windows.length ? playWindows(protection) : null,
  );
}

function mayPlay(verdict) {
  if (verdict.reason) {
    const again = verdict.again_at_ms ? ` ${t("limits.again", { when: timeWords(verdict.again_at_ms) })}` : "";
    return notice(`${t(`limits.reason.${verdict.reason}`)}${again}`, "bad", { "data-may": "no" });
  }
  if (!verdict.ends_at_ms) return notice(t("limits.may"), "good", { "data-may": "yes" });
  return notice(`${t("limits.may.until", { when: timeWords(verdict.ends_at_ms) })} ${t("limits.ended")}`, "good", { "data-may": "yes" });
}

function playWindows({ windows, holidays_known_until: known }) {
  return h(
    "div.limit-windows",
    { key: "windows" },
    h("h3", {}, t("limits.windows")),
    h(
      "ul",
      {},
      windows.map((one) =>
        h("li", { key: String(one.begins_at_ms), "data-window": String(one.begins_at_ms) }, t("limits.window", { begin: timeWords(one.begins_at_ms), end: timeWords(one.ends_at_ms, { date: false }) })),
      ),
    ),
    known ? h("p.soft", {}, t("limits.holidays", { day: known })) : null,
  );
}

// ---- age ----

function age(mine, protection) {
  const said = bandOf(protection);
  const { band, asks } = mine.own;
  return panel(
    "age",
    t("limits.age"),
    {},
    said
      ? h("p", { key: "said", "data-band": String(said) }, t("limits.age.is", { band: t(`limits.band.${said}`) }))
      : [
          h("p.soft", { key: "words" }, t("limits.age.words")),
          chips(
            "band",
            t("limits.age.pick"),
            BANDS.map((one) => [one, t(`limits.band.${one}`)]),
            band,
            (one) => mine.pickBand(one),
          ),
          confirmed(asks === "age", t("limits.age.confirm", { band: t(`limits.band.${band || 4}`) }), t("limits.age.save"), () => mine.declareAge(), () => mine.ask(""), {
            tone: "primary",
            busy: mine.isBusy("age"),
          }),
        ],
  );
}

// ---- own limits ----

function own(mine, protection) {
  const { own: mineNow, pending, of_band: ofBand } = protection;
  const { typed } = mine.own;
  const wrong = { minutes: isWrong(typed.minutes, 15, 1_440), loss: isWrong(typed.loss, 1, 1_000_000_000_000) };
  const submit = (event) => {
    event.preventDefault();
    const { minutes, loss } = event.target.elements;
    mine.setLimits(Number(minutes.value) || 0, Number(loss.value) || 0);
  };
  const number = (name, filled, max) => ({ type: "text", inputmode: "numeric", maxlength: String(max).length, fill: filled ? String(filled) : "", oninput: (event) => mine.type(name, event.target.value) });
  return panel(
    "own",
    t("limits.own"),
    {},
    h("p.soft", {}, t("limits.own.words", { hours: protection.loosen_after_hours })),
    ofBand && (ofBand.day_minutes || ofBand.day_loss)
      ? h("p.soft", { key: "band" }, t("limits.own.band", { minutes: minutesWords(ofBand.day_minutes), loss: goldWords(ofBand.day_loss) }))
      : null,
    pending.day_minutes_at_ms
      ? notice(t("limits.own.next.minutes", { when: timeWords(pending.day_minutes_at_ms), value: minutesWords(pending.day_minutes) }), "plain", { key: "next-minutes", "data-next": "minutes" })
      : null,
    pending.day_loss_at_ms
      ? notice(t("limits.own.next.loss", { when: timeWords(pending.day_loss_at_ms), value: goldWords(pending.day_loss) }), "plain", { key: "next-loss", "data-next": "loss" })
      : null,
    h(
      "form.page-form",
      { key: `form ${mineNow.day_minutes} ${mineNow.day_loss}`, onsubmit: submit },
      field("minutes", { label: t("limits.own.minutes"), hint: t("limits.own.minutes.about"), error: wrong.minutes ? t("limits.own.bad") : "", ...number("minutes", mineNow.day_minutes, 1_440) }),
      field("loss", { label: t("limits.own.loss"), hint: t("limits.own.loss.about"), error: wrong.loss ? t("limits.own.bad") : "", ...number("loss", mineNow.day_loss, 1_000_000_000_000) }),
      h("div.page-buttons", {}, h("button.primary", { type: "submit", disabled: mine.isBusy("own") || wrong.minutes || wrong.loss || !Object.keys(typed).length }, t("save"))),
    ),
  );
}

/** Whether what was typed is no number in a range; empty is none, and right. */
function isWrong(text, least, most) {
  const value = (text ?? "").trim();
  return value !== "" && !(/^\d+$/.test(value) && Number(value) >= least && Number(value) <= most);
}

// ---- self-exclusion ----

function exclusion(mine, protection) {
  const { days, asks, until } = mine.own;
  const isExcluded = protection.excluded_until_ms > mine.now;
  const from = isExcluded ? protection.excluded_until_ms : mine.now;
  const most = (mine.now + protection.exclusion_days_max * DAY_MS - from) / DAY_MS;
  const offered = EXCLUSION_DAYS.filter((one) => one <= most);
  const when = timeWords(until);
  return panel(
    "exclude",
    t("limits.exclude"),
    {},
    isExcluded ? notice(t("limits.exclude.is", { when: timeWords(protection.excluded_until_ms) }), "bad", { key: "is", "data-excluded": "" }) : null,
    h("p.soft", {}, t("limits.exclude.words")),
    offered.length
      ? chips(
          "days",
          t("limits.exclude.pick"),
          offered.map((one) => [one, t("limits.days", { count: one })]),
          days,
          (one) => mine.pickDays(one),
        )
      : null,
    offered.length
      ? h("div.page-buttons.at-start", { key: "buttons" }, asks === "first" || asks === "second" ? null : h("button.danger", { type: "button", "data-button": "exclude", onclick: () => mine.beginExclusion() }, t(isExcluded ? "limits.exclude.longer" : "limits.exclude.button")))
      : null,
    // Twice, with other words and in another place of the list, so that two quick touches are not enough.
    h("div", { key: "first" }, confirmed(asks === "first", t("limits.exclude.first", { when }), t("limits.exclude.go"), () => mine.ask("second"), () => mine.ask(""))),
    h("div", { key: "second" }, confirmed(asks === "second", t("limits.exclude.second", { when }), t("limits.exclude.yes", { when }), () => mine.exclude(), () => mine.ask(""), { busy: mine.isBusy("exclude") })),
  );
}

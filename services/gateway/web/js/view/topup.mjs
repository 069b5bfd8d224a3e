// Gems: products and promotions, the order that waits to be paid, what gems buy, all orders.
import { isOpen } from "../control/topup.mjs";
import { currentLanguage, grouped, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { hashOf } from "../control/router.mjs";
import { confirmed, currencyMark, more, nothing, notice, panel, timeWords } from "./parts.mjs";
import { waitFor } from "./waitfor.mjs";

/** Describe the page `#topup`. */
export function topupPage(state, controls) {
  const mine = controls.pages.topup;
  return [notices(mine), waiting(state, mine), shelf(state, mine), packs(state, mine), orders(state, mine)];
}

/** Of `{zh, en}` the text in the current language. */
const told = (words) => words?.[currentLanguage() === "en" ? "en" : "zh"] ?? "";

/** 600 → ¥6, 601 → ¥6.01 */
export function yuan(fen) {
  const rest = fen % 100;
  return `¥${grouped(Math.floor(fen / 100))}${rest ? `.${String(rest).padStart(2, "0")}` : ""}`;
}

const gemsOf = (gems, props = {}) => h("span.gems", props, currencyMark("gem"), h("b", {}, grouped(gems)));

function notices(mine) {
  const { shop, refused } = mine.own;
  return h(
    "div.topup-notices",
    { key: "notices" },
    shop?.is_open && shop.is_sandbox ? notice(t("topup.sandbox"), "plain", { key: "sandbox", "data-notice": "sandbox" }) : null,
    shop && !shop.is_open ? notice(t("topup.closed"), "plain", { key: "closed", "data-notice": "closed" }) : null,
    shop?.owed_gems ? notice(t("topup.owed", { gems: grouped(shop.owed_gems) }), "bad", { key: "owed", "data-notice": "owed" }) : null,
    refused ? refusal(refused) : null,
  );
}

/** Why an order was refused; what protects minors is explained where it can be looked at. */
function refusal({ reason, words, details, fallback }) {
  const isProtection = reason.startsWith("SPENDING_") || reason === "AGE_NOT_DECLARED" || reason === "SELF_EXCLUDED";
  return h(
    "div.notice.is-bad",
    { key: "refused", role: "alert", "data-refused": reason, oncreate: (node) => node.scrollIntoView({ block: "nearest" }) },
    h("p", {}, told(words) || fallback),
    // Without a limit it is -1; nothing at all may be spent below eight.
    Number(details.at_once_fen) > 0 ? h("p", {}, t("topup.allowed", { once: yuan(Number(details.at_once_fen)), month: yuan(Math.max(0, Number(details.left_month_fen))) })) : null,
    isProtection ? h("p", {}, t("topup.protected"), " ", h("a.notice-link", { href: hashOf("limits") }, t("topup.limits"))) : null,
  );
}

function shelf(state, mine) {
  const { shop } = mine.own;
  if (shop && !shop.is_open) return null;
  return panel(
    "products",
    t("topup.products"),
    {},
    shop ? h("ul.products", {}, shop.products.map((one) => product(one, mine))) : waitFor(state, "topup.shop", () => mine.loadShop()),
    h("p.soft", {}, t("topup.no_way_back")),
  );
}

function product(one, mine) {
  const name = told(one.title);
  return h(
    "li.product",
    { key: one.product_id, "data-product": one.product_id, class: one.bonus_gems ? "has-bonus" : "" },
    one.bonus_gems ? h("p.product-promotion", {}, told(one.promotion_title), one.promotion_until_ms ? h("span", {}, t("topup.until", { when: timeWords(one.promotion_until_ms) })) : null) : null,
    gemsOf(one.gems),
    h("p.product-bonus", {}, one.bonus_gems ? t("topup.bonus", { gems: grouped(one.bonus_gems) }) : " "),
    h("button.primary.product-buy", { type: "button", "aria-label": t("topup.buy", { what: name, price: yuan(one.price_fen) }), disabled: mine.isBusy("order"), onclick: () => mine.order(one.product_id) }, yuan(one.price_fen)),
  );
}

// ---- what waits to be paid ----

function waiting(state, mine) {
  const open = (mine.own.orders ?? []).filter(isOpen);
  if (!open.length) return null;
  return panel("waiting", t("topup.waiting"), {}, h("ul.rows", {}, open.map((order) => toPay(order, mine))));
}

function toPay(order, mine) {
  return h(
    "li.row.to-pay",
    { key: order.order_id, "data-open": order.order_id, oncreate: (node) => node.scrollIntoView({ block: "nearest" }) },
    h(
      "div.row-what",
      {},
      h("p", {}, h("b", {}, told(order.title)), order.bonus_gems ? ` ${t("topup.bonus", { gems: grouped(order.bonus_gems) })}` : "", " · ", yuan(order.price_fen)),
      h("p.soft", {}, t("topup.pay_until", { when: timeWords(order.expires_at_ms) })),
    ),
    payUrl(order)
      ? h("a.primary.link-button", { href: payUrl(order), target: "_blank", rel: "noopener", "data-pay": order.order_id }, t("topup.pay"))
      : h("button.plain", { type: "button", disabled: mine.isBusy("order"), onclick: () => mine.loadOrders() }, t("load.again")),
  );
}

/** Where an order is paid: a page of our own, or one over TLS; nothing else is followed. */
export function payUrl({ pay_url: url }) {
  if (url.startsWith("https://")) return url;
  if (!/^\/[a-z]/.test(url)) return "";
  return currentLanguage() === "en" ? `${url}?lang=en` : url;
}

// ---- what gems buy ----

function packs(state, mine) {
  const { shop, asks } = mine.own;
  if (!shop?.packs.length) return null;
  const held = state.wallet?.balances.find((money) => money.currency === "gem")?.amount ?? 0;
  const asked = shop.packs.find((one) => one.pack_id === asks);
  return panel(
    "packs",
    t("topup.packs"),
    {},
    h("p.packs-held", {}, t("topup.held"), " ", gemsOf(held, { "data-held": held })),
    h("ul.products", {}, shop.packs.map((one) => pack(one, held, mine))),
    confirmed(
      asked,
      asked ? t("topup.exchange.ask", { gems: grouped(asked.gems), what: told(asked.title) }) : "",
      t("topup.exchange"),
      () => mine.exchange(asks),
      () => mine.ask(""),
      { tone: "primary", busy: mine.isBusy("exchange") },
    ),
  );
}

function pack(one, held, mine) {
  const name = told(one.title);
  return h(
    "li.product",
    { key: one.pack_id, "data-pack": one.pack_id },
    h("p.pack-what", {}, currencyMark(one.currency), h("b", {}, name)),
    h("button.plain.product-buy", { type: "button", "aria-label": t("topup.exchange.buy", { what: name, gems: grouped(one.gems) }), disabled: held < one.gems || mine.isBusy("exchange"), onclick: () => mine.ask(one.pack_id) }, gemsOf(one.gems)),
  );
}

// ---- all orders ----

function orders(state, mine) {
  const { orders: all, next } = mine.own;
  return panel(
    "orders",
    t("topup.orders"),
    {},
    all ? (all.length ? h("ol.rows", {}, all.map(order)) : nothing(t("topup.orders.none"))) : waitFor(state, "topup.orders", () => mine.loadOrders()),
    more(state, "topup.more", next, () => mine.more()),
  );
}

const TONES = { PAID: "good", CREATED: "wait", WAITING: "wait", CHARGED_BACK: "bad" };

function order(one) {
  const name = one.state.replace("ORDER_STATE_", "");
  return h(
    "li.row.order",
    { key: one.order_id, "data-order": one.order_id, "data-state": name },
    h(
      "div.row-what",
      {},
      h("p", {}, h("b", {}, told(one.title)), one.bonus_gems ? ` ${t("topup.bonus", { gems: grouped(one.bonus_gems) })}` : ""),
      h("p.soft", {}, h("time", { datetime: new Date(one.created_at_ms).toISOString() }, timeWords(one.created_at_ms)), " · ", h("span.order-id", {}, one.order_id)),
      one.returned_fen ? h("p.soft", {}, t("topup.returned", { money: yuan(one.returned_fen), gems: grouped(one.returned_gems) })) : null,
      one.owed_gems ? h("p.order-owed", {}, t("topup.order.owed", { gems: grouped(one.owed_gems) })) : null,
    ),
    h("div.order-end", {}, h("b", {}, yuan(one.price_fen)), h("span.order-state", { class: `is-${TONES[name] ?? "plain"}` }, t(`topup.state.${name}`))),
  );
}

// Gems: what can be bought, the orders of this player, and what gems buy.
import { currentLanguage, t } from "../lib/i18n.mjs";
import { freshId } from "../lib/ids.mjs";
import { Refused, wordsOf } from "../net/refused.mjs";
import { PageControls } from "./pagecontrols.mjs";

const PAGE_SIZE = 20;
/** So often an order that waits is asked about while it is looked at; the webhook's word may come by no other way. */
const LOOK_MS = 2_000;

/** Whether the provider may still be paid for an order. */
export const isOpen = (order) => order.state === "ORDER_STATE_CREATED" || order.state === "ORDER_STATE_WAITING";

/** Things to do on the page `#topup`. */
export class TopUpControls extends PageControls {
  /** `shop`: ListProducts, null: not known yet; `refused`: why the last order was refused; `asks`: the pack that is asked about. */
  fresh() {
    return { shop: null, orders: null, next: "", refused: null, asks: "", wanted: null, pack: null };
  }

  open() {
    this.loadShop();
    this.loadOrders();
    this.timer ??= setInterval(() => this.lookAgain(), LOOK_MS);
  }

  close() {
    clearInterval(this.timer);
    this.timer = null;
    this.set({ refused: null, asks: "" });
  }

  /** Gems came or went: so did an order, and perhaps a promotion. */
  hearWallet() {
    this.loadShop();
    this.loadOrders();
  }

  loadShop() {
    return this.part("shop", async () => this.set({ shop: await this.call("economy/ListProducts", {}) }));
  }

  loadOrders() {
    return this.part("orders", async () => {
      const { orders, next_page_token: next } = await this.call("economy/ListOrders", { page_size: PAGE_SIZE });
      // What was paged through stays: new orders push the others down.
      const known = new Set(orders.map((order) => order.order_id));
      const rest = (this.own.orders ?? []).filter((order) => !known.has(order.order_id));
      this.set(rest.length ? { orders: [...orders, ...rest] } : { orders, next });
    });
  }

  more() {
    return this.once("more", async () => {
      const { orders, next_page_token: next } = await this.call("economy/ListOrders", { page_size: PAGE_SIZE, page_token: this.own.next });
      this.set({ orders: [...this.own.orders, ...orders], next });
    });
  }

  async lookAgain() {
    const open = (this.own.orders ?? []).filter(isOpen);
    if (!open.length || document.hidden || this.isLooking) return;
    this.isLooking = true;
    try {
      for (const { order_id } of open) this.tell((await this.call("economy/GetOrder", { order_id })).order);
    } catch {
      // The next look tells; a lost connection is shown by the page's frame.
    } finally {
      this.isLooking = false;
    }
  }

  tell(order) {
    const before = this.own.orders?.find((one) => one.order_id === order.order_id);
    const others = (this.own.orders ?? []).filter((one) => one !== before);
    if (before) this.set({ orders: this.own.orders.map((one) => (one === before ? order : one)) });
    else this.set({ orders: [order, ...others] });
    if (before && before.state !== order.state && order.state === "ORDER_STATE_PAID") {
      this.controls.toast(t("topup.came", { gems: order.gems + order.bonus_gems }), "good");
      this.controls.lobby.loadWallet();
      this.loadShop();
    }
  }

  /** Order a product; what protects the player may say no, and that stays on the page. */
  order(productId) {
    return this.once("order", async () => {
      // Asked again after an answer that got lost, the same order comes back.
      const kept = this.own.wanted;
      const wanted = kept?.productId === productId ? kept : { productId, requestId: freshId() };
      this.set({ wanted, refused: null });
      try {
        const { order } = await this.call("economy/CreateOrder", { request_id: wanted.requestId, product_id: productId });
        this.set({ wanted: null });
        this.tell(order);
      } catch (error) {
        if (!(error instanceof Refused) || error.reason === "SERVICE_UNAVAILABLE") throw error;
        this.set({ wanted: null, refused: { reason: error.reason, words: error.words, details: error.details, fallback: wordsOf(error, currentLanguage(), t("error.refused")) } });
      }
    });
  }

  ask(packId) {
    this.set({ asks: packId });
  }

  /** Buy a pack with gems. */
  exchange(packId) {
    return this.once("exchange", async () => {
      const kept = this.own.pack;
      const pack = kept?.packId === packId ? kept : { packId, requestId: freshId() };
      this.set({ pack });
      try {
        await this.call("economy/ExchangeGems", { request_id: pack.requestId, pack_id: packId });
      } catch (error) {
        if (error instanceof Refused && error.reason !== "SERVICE_UNAVAILABLE") this.set({ pack: null, asks: "" });
        throw error;
      }
      this.set({ pack: null, asks: "" });
      this.controls.toast(t("topup.exchanged"), "good");
      this.controls.lobby.loadWallet();
    });
  }
}

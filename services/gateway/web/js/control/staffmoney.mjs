// What staff with the role `money` can do: orders and refunds, problems with payments, debts.
import { t } from "../lib/i18n.mjs";
import { freshId } from "../lib/ids.mjs";
import { isPerson, list, StaffPeopleControls } from "./staffpeople.mjs";

const PAGE_SIZE = 30;

/** Whether this person may give money back. */
export const isMoney = (state) => state.roles.some((role) => role === "money" || role === "admin");

const IS_ORDER = /^o_[A-Za-z0-9_-]{1,64}$/;
const IS_PLAYER = /^p_[A-Za-z0-9_-]{1,64}$/;

/** `6`, `6.5`, `6.05` yuan → 600, 650, 605 fen; NaN: that is no amount. */
export function fenOf(text) {
  const found = /^(\d{1,7})(?:[.．](\d{1,2}))?$/.exec(text.trim());
  return found ? Number(found[1]) * 100 + Number((found[2] ?? "").padEnd(2, "0")) : NaN;
}

/** Whole gems; NaN: that is no number of gems. */
export const gemsOf = (text) => (/^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text.trim()) : NaN);

/** The part of `#staff` that is about money. `StaffControls` adds disputes and the log. */
export class StaffMoneyControls extends StaffPeopleControls {
  /**
   * `orders`, `problems`, `debts`: lists; `filter`, `whose`, `badSearch`: which orders; `order`: the one that is open, whole; `act`: what is being
   * written about one of them: `{what, id, amount, even, reason, asks, requestId}`.
   */
  freshMoney() {
    return { orders: list(), problems: list(), debts: list(), owedGems: 0, filter: "UNSPECIFIED", whose: "", badSearch: false, withResolved: false, order: null, act: null };
  }

  // ---- lists ----

  pickOrders(filter) {
    this.set({ filter, orders: list() });
    this.load("orders");
  }

  pickProblems(withResolved) {
    this.set({ withResolved, problems: list(), act: null });
    this.load("problems");
  }

  /** Look for what was typed: a player's orders, one order, or everybody's if it is empty. */
  search(text) {
    const words = text.trim();
    if (IS_ORDER.test(words)) return this.controls.router.go("staff", "order", words);
    const bad = Boolean(words) && !IS_PLAYER.test(words);
    this.set({ badSearch: bad, ...(bad ? {} : { whose: words, orders: list() }) });
    return bad ? undefined : this.load("orders");
  }

  /** One page of a list of money. */
  async readMoney(name, page_token) {
    const page = { page_size: PAGE_SIZE, page_token };
    if (name === "orders") {
      const { filter, whose } = this.own;
      const { orders: rows, next_page_token: next } = await this.call("economy/FindOrders", { ...page, player_id: whose, filter: `ORDER_FILTER_${filter}` });
      this.know(rows.map((one) => one.player_id));
      return { rows, next, open: 0 };
    }
    if (name === "problems") {
      const answer = await this.call("economy/ListPaymentProblems", { ...page, with_resolved: this.own.withResolved });
      this.know(answer.problems.map((one) => one.resolved_by));
      return { rows: answer.problems, next: answer.next_page_token, open: answer.open };
    }
    const answer = await this.call("economy/ListDebts", page);
    this.set({ owedGems: answer.owed_gems });
    this.know(answer.debts.map((one) => one.player_id));
    return { rows: answer.debts, next: answer.next_page_token, open: answer.open };
  }

  know(ids) {
    this.controls.lobby.loadPeople(ids.filter(isPerson));
  }

  // ---- one order ----

  openOrder(id) {
    if (this.own.order?.id !== id) this.set({ order: { id, whole: null }, act: null });
    return this.part("order", async () => {
      const whole = await this.call("economy/InspectOrder", { order_id: id });
      if (this.own.order?.id !== id) return;
      this.set({ order: { id, whole } });
      this.know([whole.order.player_id, ...whole.returns.map((one) => one.staff_id)]);
    });
  }

  // ---- what is done to one of them ----

  /** Begin to write; null puts it away. What is done, how much and why names the request: the same again is a repeat. */
  begin(what, id, amount = "") {
    this.set({ act: what ? { what, id, amount, reason: "", asks: false, requestId: freshId() } : null });
  }

  writeAct(changes) {
    this.set({ act: { ...this.own.act, asks: false, ...changes, requestId: freshId() } });
  }

  askAct(asks) {
    this.set({ act: { ...this.own.act, asks } });
  }

  /** Do it; whatever became of it, show what is true now: somebody else may have been first. */
  perform() {
    const { what, id, amount, even, reason, requestId } = this.own.act;
    const why = reason.trim();
    return this.once(what, async () => {
      try {
        await this.send(what, id, amount, why, requestId, even);
        this.begin(null);
        this.controls.toast(t(`staff.${what}.done`), "good");
      } finally {
        if (this.own.act) this.askAct(false);
        await this.loadShown();
      }
    });
  }

  send(what, id, amount, reason, request_id, even) {
    if (what === "refund") return this.call("economy/RefundOrder", { request_id, order_id: id, amount_fen: fenOf(amount), reason, even_if_spent: Boolean(even) });
    if (what === "waive") return this.call("economy/WaiveDebt", { request_id, order_id: id, gems: gemsOf(amount), reason });
    const sent = this.sendAboutPeople(what, id, amount, reason);
    if (sent) return sent;
    return this.call("economy/ResolvePaymentProblem", { problem_id: id, reason });
  }
}

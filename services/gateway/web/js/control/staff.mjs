// What staff can do: disputed rounds, contradictions, money, people, and the log of what staff did.
import { checkRecord, toHex } from "../../fairdeal.mjs";
import { t } from "../lib/i18n.mjs";
import { freshId } from "../lib/ids.mjs";
import { isMoney, StaffMoneyControls } from "./staffmoney.mjs";
import { isAdmin, isPerson, isSupport, list } from "./staffpeople.mjs";

export { isAdmin, isMoney };

const PAGE_SIZE = 30;
export const REASON_MIN = 3;
export const REASON_MAX = 500;

/** Whether this person may decide disputes. */
export const isDisputes = (state) => state.roles.some((role) => role === "disputes" || role === "admin");

/** Whether this person is of the staff that this page is for. */
export const isStaff = (state) => isDisputes(state) || isMoney(state) || isSupport(state);

/** The parts of the page, with who may see them: the first of one's own is what the page opens with. */
const PARTS = { disputes: isDisputes, alerts: isDisputes, orders: isMoney, problems: isMoney, debts: isMoney, people: isSupport, log: isAdmin };

/** The parts that this person may see. */
export const partsFor = (state) => Object.keys(PARTS).filter((part) => PARTS[part](state));

/** The part that a path of the page shows. */
export const partOf = (state, what) => (what in PARTS ? what : (partsFor(state)[0] ?? "disputes"));

/** Things to do on the page `#staff`. */
export class StaffControls extends StaffMoneyControls {
  /**
   * `which`: open ones or all; `disputes`, `alerts`, `log`: lists; `dispute`: the one that is open, with what this browser finds of its
   * deal; `outcome`, `reason`, `asks`: the decision that is being made; `looks`: the alert that is being acknowledged.
   */
  fresh() {
    return { which: "open", disputes: list(), alerts: list(), log: list(), dispute: null, outcome: "", reason: "", asks: false, requestId: "", looks: null, ...this.freshPeople(), ...this.freshMoney() };
  }

  open([what, id]) {
    if (what === "dispute" && id) this.openDispute(id);
    else if (what === "order" && id) this.openOrder(id);
    else if (what === "person" && id) this.openPerson(id);
    else {
      const part = partOf(this.state, what);
      if (part === "orders" && isPerson(id) && id !== this.own.whose) this.set({ whose: id, filter: "UNSPECIFIED", orders: list() });
      this.load(part);
      // How much waits stands beside the other tabs.
      for (const other of ["problems", "debts"]) if (other !== part && isMoney(this.state)) this.load(other);
    }
  }

  /** Load again what is shown. */
  loadShown() {
    const [what, id] = this.state.page?.path ?? [];
    if (what === "person") return this.openPerson(id);
    return what === "order" ? this.openOrder(id) : this.load(partOf(this.state, what));
  }

  // ---- lists ----

  pick(which) {
    this.set({ which, disputes: list(), alerts: list() });
    this.open(this.state.page?.path ?? []);
  }

  load(name) {
    return this.part(name, async () => this.set({ [name]: await this.read(name, "") }));
  }

  more(name) {
    return this.once("more", async () => {
      const before = this.own[name];
      const found = await this.read(name, before.next);
      if (this.own[name] === before) this.set({ [name]: { ...found, rows: [...before.rows, ...found.rows] } });
    });
  }

  async read(name, page_token) {
    if (name === "orders" || name === "problems" || name === "debts") return this.readMoney(name, page_token);
    if (name === "people") return this.readPeople();
    const request = { page_size: PAGE_SIZE, page_token };
    if (name === "log") {
      const { entries: rows, next_page_token: next } = await this.call("accounts/ListStaffLog", request);
      this.controls.lobby.loadPeople(rows.flatMap((one) => [one.staff_id, one.subject]).filter(isPerson));
      return { rows, next, open: 0 };
    }
    const [method, field] = name === "alerts" ? ["ListAlerts", "alerts"] : ["ListDisputes", "disputes"];
    const answer = await this.call(`economy/${method}`, { ...request, state: this.own.which });
    this.controls.lobby.loadPeople(answer[field].map((one) => one.resolved_by || one.acknowledged_by).filter(isPerson));
    return { rows: answer[field], next: answer.next_page_token, open: answer.open };
  }

  // ---- one dispute ----

  async openDispute(id) {
    if (this.own.dispute?.id !== id) this.set({ dispute: { id, whole: null, text: "", fair: null }, outcome: "", reason: "", asks: false, requestId: freshId() });
    await this.part("dispute", async () => {
      const { dispute: whole } = await this.call("economy/GetDispute", { round_id: id });
      const text = new TextDecoder().decode(whole.record);
      this.tell(id, { whole, text });
      this.controls.lobby.loadPeople([whole.summary.resolved_by, ...whole.seats.map((seat) => seat.player_id)].filter(isPerson));
      // This browser works the deal out again by itself, from what scoring heard before the first card.
      const heard = whole.deal.commitment_heard;
      if (text) this.tell(id, { fair: await checkRecord(text, heard.length ? toHex(heard) : null) });
    });
  }

  tell(id, changes) {
    if (this.own.dispute?.id === id) this.set({ dispute: { ...this.own.dispute, ...changes } });
  }

  /** What is decided, and why, names the request: the same again is a repeat of it. */
  choose(outcome) {
    this.set({ outcome, asks: false, requestId: freshId() });
  }

  write(reason) {
    this.set({ reason, requestId: freshId() });
  }

  ask(asks) {
    this.set({ asks });
  }

  /** Decide; whatever became of it, show the round as it is now: somebody else may have been first. */
  resolve() {
    const { dispute, outcome, reason, requestId } = this.own;
    return this.once("resolve", async () => {
      try {
        await this.call("economy/ResolveDispute", { round_id: dispute.id, outcome: `OUTCOME_${outcome}`, reason: reason.trim(), request_id: requestId });
        this.controls.toast(t("staff.decided"), "good");
      } finally {
        this.set({ asks: false });
        await this.openDispute(dispute.id);
      }
    });
  }

  // ---- alerts ----

  look(alertId) {
    this.set({ looks: alertId ? { id: alertId, reason: "", requestId: freshId() } : null });
  }

  lookReason(reason) {
    this.set({ looks: { ...this.own.looks, reason } });
  }

  acknowledge() {
    const { id, reason, requestId } = this.own.looks;
    return this.once("look", async () => {
      const { alert } = await this.call("economy/AcknowledgeAlert", { alert_id: id, reason: reason.trim(), request_id: requestId });
      const seen = (rows) => rows?.map((one) => (one.alert_id === alert.alert_id ? alert : one));
      const { alerts, dispute } = this.own;
      this.set({ looks: null, alerts: { ...alerts, rows: seen(alerts.rows), open: Math.max(0, alerts.open - 1) } });
      if (dispute?.whole) this.tell(dispute.id, { whole: { ...dispute.whole, alerts: seen(dispute.whole.alerts) } });
    });
  }
}

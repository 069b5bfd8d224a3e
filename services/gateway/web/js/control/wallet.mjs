// The wallet: what is in it and at tables, every entry of the book, and the round or match an entry comes from.
import { parseRecord } from "../game/record.mjs";
import { joined, matchOf } from "../game/entries.mjs";
import { PageControls } from "./pagecontrols.mjs";

const PAGE_SIZE = 40;
/** There is no such round, or it is none of this player's. */
const GONE = new Set(["NOT_FOUND", "PERMISSION_DENIED", "INVALID_ARGUMENT", "ROUND_UNKNOWN", "RECORD_UNKNOWN"]);
const RECORDS_SIZE = 100;
/** How many pages of records are looked through for the rounds of a match. */
const RECORD_PAGES_MAX = 5;

/** Things to do on the page `#wallet`. */
export class WalletControls extends PageControls {
  /** `currency`: the filter; `entries` null: not known yet; `round`, `match`: what the path asks for. */
  fresh() {
    return { currency: "", entries: null, next: "", seats: null, held: null, day: null, round: null, match: null };
  }

  open(path) {
    const [what, id] = path;
    if (what === "round" && id) this.openRound(id);
    else if (what === "match" && id) this.openMatch(id);
    else this.openBook();
  }

  openBook() {
    this.controls.lobby.loadWallet();
    this.loadEntries();
    this.loadStakes();
    this.loadDay();
  }

  /** The wallet changed: show the new entries too, and keep what was paged through. */
  hearWallet() {
    if (this.state.page?.path.length) return;
    this.loadEntries();
    this.loadStakes();
    this.loadDay();
  }

  filter(currency) {
    this.set({ currency, entries: null, next: "" });
    return this.loadEntries();
  }

  loadEntries() {
    const { currency } = this.own;
    return this.part("entries", async () => {
      const { entries, next_page_token: next } = await this.call("economy/ListEntries", { player_id: this.state.playerId, currency, page_size: PAGE_SIZE });
      if (currency !== this.own.currency) return;
      const all = this.own.entries ? joined(entries, this.own.entries) : null;
      this.set(all ? { entries: all } : { entries, next });
    });
  }

  more() {
    const { currency, next } = this.own;
    return this.once("more", async () => {
      const request = { player_id: this.state.playerId, currency, page_size: PAGE_SIZE, page_token: next };
      const answer = await this.call("economy/ListEntries", request);
      if (currency !== this.own.currency || next !== this.own.next) return;
      this.set({ entries: [...this.own.entries, ...answer.entries], next: answer.next_page_token });
    });
  }

  /** Where the coins at tables are: the tables of this player, and matches that wait for a decision. */
  async loadStakes() {
    const player_id = this.state.playerId;
    await Promise.all([
      this.part("seats", async () => this.set({ seats: (await this.call("table/ListSeats", { player_id })).tables })),
      this.part("held", async () => this.set({ held: (await this.call("economy/ListHeldStakes", { player_id })).held })),
    ]);
  }

  loadDay() {
    return this.part("day", async () => this.set({ day: await this.call("economy/GetDay", { player_id: this.state.playerId }) }));
  }

  // ---- one round ----

  /** Everything that is known of a round: its record, what the auditor says, what the money did, whether the deal was fair. */
  async openRound(roundId) {
    if (this.own.round?.id !== roundId) this.set({ round: { id: roundId, record: null, audit: null, settlement: null, fair: null, why: null } });
    await this.part("round", async () => {
      try {
        await this.loadRound(roundId);
      } catch (error) {
        if (!GONE.has(error.reason)) throw error;
        this.tell(roundId, { isGone: true });
      }
    });
  }

  async loadRound(roundId) {
    const [{ record }, settlement, audit] = await Promise.all([
      this.call("table/GetRecord", { round_id: roundId }),
      this.call("economy/GetSettlement", { round_id: roundId }),
      this.call("scoring/GetAudit", { round_id: roundId }).catch((error) => {
        if (error.reason === "NOT_FOUND") return { audit: null };
        throw error;
      }),
    ]);
    const text = new TextDecoder().decode(record);
    const parsed = parseRecord(text);
    const outcome = await this.outcomeOf(roundId, audit.audit, settlement);
    this.tell(roundId, { text, record: parsed, settlement, audit: audit.audit ?? null, outcome });
    this.controls.lobby.loadPeople(parsed.head.get("Seats").split(" "));
    this.tell(roundId, { fair: await this.controls.replay.fairOf(roundId, record) });
    await this.explain(roundId, record);
  }

  /** What staff decided about a disputed round: `OUTCOME_ENGINE`, …; "" = nothing, or it is not known any more. */
  async outcomeOf(roundId, audit, settlement) {
    if (audit?.verdict !== "VERDICT_DISPUTED" || settlement.state === "disputed") return "";
    const { decided } = await this.call("economy/ListHeldStakes", { player_id: this.state.playerId });
    return decided.find((one) => one.round_id === roundId)?.outcome ?? "";
  }

  /** Why it scored what it scored: as the table said it when it was played here, else in the auditor's words. */
  async explain(roundId, record) {
    const kept = this.controls.replay.kept(roundId);
    if (kept?.why.zh.length) {
      this.tell(roundId, { why: kept.why });
      return;
    }
    await this.part("why", async () => {
      const { explanation_zh: zh, explanation_en: en } = await this.call("scoring/AuditRecord", { record });
      this.tell(roundId, { why: { zh, en } });
    });
  }

  tell(roundId, changes) {
    if (this.own.round?.id === roundId) this.set({ round: { ...this.own.round, ...changes } });
  }

  // ---- the rounds of one match ----

  openMatch(matchId) {
    this.set({ match: { id: matchId, rounds: null, isCut: false } });
    return this.part("match", async () => {
      const rounds = [];
      let token = "";
      let pages = 0;
      do {
        const request = { player_id: this.state.playerId, page_size: RECORDS_SIZE, page_token: token };
        const { records, next_page_token } = await this.call("table/ListRecords", request);
        const ours = records.filter((record) => matchOf(record.round_id) === matchId);
        rounds.push(...ours);
        token = next_page_token;
        pages += 1;
        // Rounds of a match follow each other: behind the last one there are no more.
        if (rounds.length && !ours.length) break;
      } while (token && pages < RECORD_PAGES_MAX);
      this.controls.lobby.loadPeople(rounds.flatMap((record) => record.players));
      if (this.own.match?.id === matchId) this.set({ match: { id: matchId, rounds: rounds.reverse(), isCut: Boolean(token) && !rounds.length } });
    });
  }
}

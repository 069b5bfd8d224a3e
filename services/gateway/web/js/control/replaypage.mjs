// `#replay/round/<id>`, `#replay/<token of a link>`, `#replay/record`: which round is looked at again.
import { callHttp } from "../net/http.mjs";
import { Refused, wordsOf } from "../net/refused.mjs";
import { fromKept, fromService } from "../game/replay.mjs";
import { currentLanguage, hasWords, t } from "../lib/i18n.mjs";
import { PageControls } from "./pagecontrols.mjs";

/** No record is longer (docs/record-format.md). */
const RECORD_BYTES_MAX = 262_144;

/** What GetReplay is asked for a path of the address; null where it is not asked. */
function requestOf([first = "", second = ""]) {
  if (first === "record") return null;
  return first === "round" ? { round_id: second, viewer: "VIEWER_ABOVE" } : { share_token: first };
}

/** What a refusal says to people, and beside it what it says to who knows records: that is English in every language. */
export function refusalOf(error) {
  const { kind = "", why = "" } = error.details;
  const key = `replay.bad.${kind}`;
  return hasWords(key) ? { words: t(key, error.details), why } : { words: wordsOf(error, currentLanguage(), t("error.refused")), why: "" };
}

/** Whether an address names a round: a link may have been copied in part. */
export const isWhole = ([first = "", second = ""]) => (first === "round" ? second !== "" : first !== "");

/** Loads what the replay shows. */
export class ReplayPageControls extends PageControls {
  /** `refused`: why there is nothing to see, `{words, why}`; null: nothing was refused. */
  fresh() {
    return { refused: null };
  }

  /** Ask for the round while the connection is still made: over HTTP, as whoever this browser is. */
  ahead(path) {
    const request = requestOf(path);
    const { session } = this.controls;
    if (!request || !isWhole(path) || !(session.isFresh || session.canSignIn)) return;
    const answer = session.token().then((token) => callHttp("table/GetReplay", request, token));
    // What goes wrong here is asked again in its turn, and said then.
    this.early = { key: path.join("/"), answer: answer.catch(() => null) };
  }

  get replays() {
    return this.controls.replay;
  }

  open(path) {
    const key = path.join("/");
    if (this.state.replay?.key === key) return undefined;
    if (this.state.replay) this.replays.stop();
    this.set({ refused: null });
    if (path[0] === "record" || !isWhole(path)) return undefined;
    return this.part("round", () => (path[0] === "round" ? this.openRound(key, path[1] ?? "") : this.openLink(key, path[0] ?? "")));
  }

  close() {
    this.replays.stop();
  }

  /** Whether the address still asks for this. */
  isAsked(key) {
    return this.state.page?.name === this.name && this.state.page.path.join("/") === key;
  }

  async openRound(key, roundId) {
    const answer = await this.answered(key, requestOf(["round", roundId]), roundId);
    if (!answer) return;
    const round = fromService(answer);
    const isMine = round.players.includes(this.state.playerId);
    this.show(key, round, { ask: { round_id: roundId }, isMine, teaches: (seat) => !isMine || seat === round.own });
  }

  async openLink(key, token) {
    const answer = await this.answered(key, requestOf([token]));
    if (!answer) return;
    const round = fromService(answer);
    const isMine = round.players.includes(this.state.playerId);
    this.show(key, round, { ask: { share_token: token }, isMine, teaches: () => true });
  }

  show(key, round, how) {
    if (this.isAsked(key)) this.replays.show(key, round, { ...how, teaches: (seat) => round.answers.length > 0 && how.teaches(seat) });
  }

  /** What GetReplay says; null if it says no. A round the service does not keep any more may still be kept here. */
  async answered(key, request, roundId = "") {
    const early = this.early?.key === key ? this.early.answer : null;
    this.early = null;
    try {
      return (await early) ?? (await this.call("table/GetReplay", request));
    } catch (error) {
      const kept = roundId ? this.replays.kept(roundId) : null;
      if (kept) {
        this.show(key, fromKept(kept), { ask: {}, isMine: false, teaches: () => false });
        return null;
      }
      if (!(error instanceof Refused)) throw error;
      this.set({ refused: refusalOf(error) });
      return null;
    }
  }

  /** Check a file that the person has chosen, and show it; what is no record is not even sent. */
  upload(file) {
    return this.once("upload", async () => {
      this.set({ refused: null });
      if (file.size > RECORD_BYTES_MAX) {
        this.set({ refused: { words: t("replay.upload.large", { most: RECORD_BYTES_MAX / 1024 }), why: "" } });
        return;
      }
      const record = new Uint8Array(await file.arrayBuffer());
      let answer;
      try {
        // Over HTTP: a record is larger than any message of a connection may be.
        answer = await callHttp("table/CheckRecord", { record }, await this.controls.session.token());
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.set({ refused: refusalOf(error) });
        return;
      }
      const round = fromService({ ...answer, record });
      this.controls.toast(t(answer.is_kept ? "replay.upload.kept" : "replay.upload.holds"), "good");
      if (!this.isAsked("record")) this.replays.go("record");
      this.replays.show("record", round, { ask: { record }, isMine: false, teaches: () => true });
    });
  }
}

// Seats: who sits there, how he stands, what lies before him.
import { compact, t } from "../lib/i18n.mjs";
import { h } from "../lib/vdom.mjs";
import { icon } from "./icons.mjs";
import { avatar, isBot, nameOfPlayer } from "./people.mjs";
import { clockFace } from "./ticker.mjs";

/** Whose turn everybody can see it to be, with its deadline: `{deadline, span}` or null. */
function turnOf(table, at) {
  const { timing } = table;
  // Of the deadline of a turn the last part is the seat's bank, if its player is there to use it.
  const { bank_ms = 0, online = false } = table.seats[at] ?? {};
  const bank = online ? bank_ms : 0;
  if (at === table.seat && table.question) {
    const claim = table.face.isClaim(table.question.actions);
    return { deadline: table.question.deadline_at_ms, span: (claim ? timing.claim_ms : timing.turn_ms) || 15_000, bank: claim ? 0 : bank };
  }
  if (at === table.turnSeat) return { deadline: table.turnDeadline, span: timing.turn_ms || 15_000, bank };
  return null;
}

function portrait(state, at) {
  const { table } = state;
  const { round } = table;
  const seat = table.seats[at];
  const turn = turnOf(table, at);
  const offline = isOffline(seat);
  return h(
    "span.portrait",
    { class: `${turn ? "on-turn" : ""} ${offline ? "offline" : ""}` },
    seat ? avatar(state, seat.player_id, at) : h("span.avatar.empty", { "aria-hidden": "true" }, "?"),
    table.face.mark ? table.face.mark(state, at) : table.round.dealer === at ? h("span.dealer", { "aria-label": t("dealer"), role: "img" }, "庄") : null,
    at === table.seat ? gives(seat) : null,
    turn?.deadline ? clockFace(turn.deadline, { name: "ring", spanMs: turn.span, bankMs: turn.bank }) : null,
    round.dealt && at !== table.seat
      ? h("span.hand-count", { "aria-label": t("hand.count", { count: round.counts[at] }), role: "img" }, String(round.counts[at]))
      : null,
  );
}

const isOffline = (seat) => Boolean(seat) && !seat.online && !isBot(seat.player_id);

function marker(table, at) {
  const seat = table.seats[at];
  if (!seat) return null;
  if (seat.left) return h("span.state-mark", {}, t("seat.left"));
  if (seat.auto_play && !isBot(seat.player_id)) return h("span.state-mark", {}, t("seat.auto"));
  if (isOffline(seat)) return h("span.state-mark", {}, t("seat.offline"));
  return missed(table, at);
}

/** How many questions in a row a seat has missed, while so many more begin 托管. */
function missed(table, at) {
  const most = table.timing.misses ?? 0;
  const own = at === table.seat ? (table.question?.misses ?? 0) : 0;
  const count = Math.max(own, table.seats[at].misses ?? 0);
  if (!count || count >= most) return null;
  const words = t("seat.missed.title", { count, most });
  return h("span.state-mark.is-missed", { role: "img", "aria-label": words, title: words }, t("seat.missed", { count, most }));
}

/** The mark of a seat that takes part in the shuffle with numbers of its own. */
function gives(seat) {
  return seat?.gives_nonces ? h("span.gives", { role: "img", "aria-label": t("seat.gives"), title: t("seat.gives") }, icon("dice")) : null;
}

function figures(table, seat) {
  // Who watches knows nothing of them before the picture begins: the table is shown empty until then.
  if (!seat || (table.seat < 0 && !table.roundId)) return null;
  return h(
    "span.seat-figures",
    {},
    h("span.seat-score", { class: seat.score > 0 ? "plus" : seat.score < 0 ? "minus" : "", "aria-label": t("score", { points: seat.score }) }, t("score.short", { points: seat.score > 0 ? `+${compact(seat.score)}` : compact(seat.score) })),
    table.baseStake ? h("span.seat-stake", { "aria-label": t("stake", { coins: seat.stake }) }, h("span.coin", { "aria-hidden": "true" }), compact(seat.stake)) : null,
  );
}

/** What is left of a seat's time bank, where the table has one. */
function bankOf(table, seat) {
  if (table.seat < 0 || !seat || !table.timing.bank_ms || isBot(seat.player_id)) return null;
  const words = t("time.bank", { seconds: Math.ceil(seat.bank_ms / 1000) });
  return h("span.seat-bank", { class: seat.bank_ms ? "" : "is-empty", role: "img", "aria-label": words, title: words }, icon("clock"), String(Math.ceil(seat.bank_ms / 1000)));
}

/** One of the others. */
export function otherSeat(state, at) {
  const { table } = state;
  const side = table.side(at);
  const seat = table.seats[at];
  return h(
    `section.seat.${side}`,
    { key: side, "aria-label": seat ? nameOfPlayer(state, seat.player_id, at) : t("seat.empty") },
    h(
      "div.seat-head",
      {},
      portrait(state, at),
      h(
        "div.seat-words",
        {},
        h(
          "span.seat-line",
          {},
          marker(table, at),
          h("span.seat-name", {}, seat ? nameOfPlayer(state, seat.player_id, at) : t("seat.empty")),
          gives(seat),
          table.face.badge(state, at),
        ),
        figures(table, seat),
      ),
      table.phase === "between" && seat?.ready ? h("span.ready-mark", { "aria-label": t("seat.ready"), role: "img" }, icon("check")) : null,
    ),
    table.face.field(state, at),
    openHand(state, at),
    bubble(state, seat),
  );
}

/** What another seat holds, in a replay that is seen from above. */
function openHand({ table }, at) {
  const cards = table.round.above?.[at];
  if (!cards?.length || table.face.opensHands) return null;
  return h("div.above-hand", { key: "above", role: "group", "aria-label": t("replay.hand") }, table.face.cardRow(cards));
}

function bubble(state, seat) {
  const message = seat && state.chat.bubbles.get(seat.player_id);
  if (!message) return null;
  return h("p.bubble", { key: "bubble" }, message.phrase ? t(message.phrase) : message.text);
}

/** The own seat: picture, score, and what the game has to say. */
export function ownSeat(state) {
  const { table } = state;
  const [at] = table.around;
  const seat = table.seats[at];
  return h(
    "section.own",
    { key: "own", "aria-label": t("own.title") },
    portrait(state, at),
    h("span.own-line", {}, marker(table, at), h("span.seat-name", { title: seat ? nameOfPlayer(state, seat.player_id, at) : "" }, seat ? nameOfPlayer(state, seat.player_id, at) : "")),
    figures(table, seat),
    bankOf(table, seat),
    table.face.ownFacts(state),
    bubble(state, seat),
  );
}

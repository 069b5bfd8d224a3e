"""Signing in, staying signed in, and coming back: the page's session and its one connection."""

from __future__ import annotations

import pytest

from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

PARTS = """
class Storage {
  constructor() { this.kept = new Map(); }
  getItem(key) { return this.kept.get(key) ?? null; }
  setItem(key, value) { this.kept.set(key, String(value)); }
  removeItem(key) { this.kept.delete(key); }
}
const { loadWire, encode, decode } = await load("js/net/wire.mjs");
const { Session } = await load("js/net/session.mjs");
const { Connection } = await load("js/net/connection.mjs");
const { Refused } = await load("js/net/refused.mjs");
await loadWire(async () => table);
let now = 1_000_000;
const calls = [];
let serial = 0;
let refuseRefresh = false;
const call = async (method) => {
  calls.push(method);
  if (method === "accounts/RefreshSession" && refuseRefresh) throw new Refused({ reason: "SESSION_REVOKED" });
  serial += 1;
  const access_expires_at_ms = now + 600_000;
  const tokens = { access_token: `a${serial}`, access_expires_at_ms, refresh_token: `r${serial}` };
  return method === "accounts/CreateChallenge" ? { challenge: new Uint8Array(32) } : { tokens };
};
const tab = new Storage();
const local = new Storage();
local.setItem("paiju.guest_key", "07".repeat(32));
const session = new Session({ local, tab, call, now: () => now });
const tick = () => new Promise((done) => setTimeout(done, 5));
"""

SOCKET = """
const sockets = [];
globalThis.WebSocket = class {
  constructor(url) {
    Object.assign(this, { url, sent: [] });
    sockets.push(this);
    setTimeout(() => this.onopen?.(), 0);
  }
  send(bytes) { this.sent.push(decode("gateway.v1.PlayRequest", bytes)); }
  say(message) { this.onmessage({ data: encode("gateway.v1.PlayResponse", message).buffer }); }
  close() { this.closed = true; }
};
const heard = [];
const on = (kind, value) => heard.push([kind, value]);
const connection = new Connection({ session, language: () => "en", url: "ws://x/play", on });
const states = () => heard.filter(([kind]) => kind === "state").map(([, state]) => state);
const reasonOf = (promise) => promise.then(() => "accepted", (error) => error.reason);
const welcome = { welcome: { player_id: "p_1", session: "s", now_ms: 5, token_expires_at_ms: 9 } };
const arrive = async (at) => { while (!sockets[at]?.sent.length) await tick(); return sockets[at]; };
"""


def test_a_fresh_token_is_used_again_and_an_old_one_renewed_once_for_all_who_ask() -> None:
    said = node.run(
        PARTS
        + """
        const first = await Promise.all([session.token(), session.token()]);
        const kept = await session.token();
        now += 595_000;
        const renewed = await Promise.all([session.token(), session.token()]);
        answer({ first, kept, renewed, calls });
        """
    )
    assert said["calls"] == ["accounts/CreateChallenge", "accounts/SignInGuest", "accounts/RefreshSession"]
    assert said["first"] == ["a2", "a2"]
    assert (said["kept"], said["renewed"]) == ("a2", ["a3", "a3"])


def test_a_refused_refresh_signs_in_again_with_the_key_and_a_reload_keeps_only_the_access_token() -> None:
    said = node.run(
        PARTS
        + """
        await session.token();
        const stored = [...tab.kept.values()].join();
        const reloaded = new Session({ local, tab, call, now: () => now });
        const same = await reloaded.token();
        refuseRefresh = true;
        now += 595_000;
        const again = await session.token();
        answer({ stored, same, again, calls });
        """
    )
    assert '"refresh_token"' not in said["stored"]
    assert said["same"] == "a2"
    assert said["calls"][2:] == [
        "accounts/RefreshSession",
        "accounts/CreateChallenge",
        "accounts/SignInGuest",
    ]
    assert said["again"] == "a4"


def test_the_connection_says_hello_first_and_matches_answers_to_questions() -> None:
    said = node.run(
        PARTS
        + SOCKET
        + """
        connection.open();
        const socket = await arrive(0);
        socket.say(welcome);
        const asked = reasonOf(connection.command("0-a", { ready: {} }, "c1"));
        const refused = reasonOf(connection.command("0-a", { leave: {} }, "c2"));
        const [one, two] = socket.sent.filter((message) => message.table);
        socket.say({ reply_to: two.id, command_answer: { reason: "NOT_SEATED" } });
        socket.say({ reply_to: one.id, command_answer: {} });
        const answers = { one: await asked, two: await refused, id: one.table.command_id };
        answer({ hello: socket.sent[0].hello, states: states(), ...answers });
        connection.close();
        """
    )
    assert said["hello"] == {"access_token": "a2", "language": "en", "client": "paiju-page/1"}
    assert said["states"] == ["connecting", "ready"]
    assert (said["one"], said["two"], said["id"]) == ("accepted", "NOT_SEATED", "c1")


def test_a_lost_connection_fails_what_was_open_and_comes_back_by_itself() -> None:
    said = node.run(
        PARTS
        + SOCKET
        + """
        connection.open();
        const first = await arrive(0);
        first.say(welcome);
        const open = reasonOf(connection.command("0-a", { ready: {} }, "c1"));
        first.onclose();
        const lost = await open;
        const second = await arrive(1);
        second.say(welcome);
        answer({ lost, states: states(), hello: second.sent[0].hello !== null });
        connection.close();
        """
    )
    assert said["lost"] == "UNREACHABLE"
    assert said["states"] == ["connecting", "ready", "waiting", "connecting", "ready"]
    assert said["hello"]


def test_a_goodbye_that_waits_for_the_person_stops_and_one_for_a_token_renews_it() -> None:
    said = node.run(
        PARTS
        + SOCKET
        + """
        connection.open();
        const first = await arrive(0);
        first.say(welcome);
        first.say({ goodbye: { reason: "TOKEN_EXPIRED" } });
        first.onclose();
        const second = await arrive(1);
        second.say(welcome);
        second.say({ goodbye: { reason: "REPLACED" } });
        second.onclose();
        await tick();
        const byes = heard.filter(([kind]) => kind === "goodbye").map(([, reason]) => reason);
        const token = second.sent[0].hello.access_token;
        answer({ token, state: connection.state, sockets: sockets.length, byes });
        connection.close();
        """
    )
    assert said == {"token": "a3", "state": "stopped", "sockets": 2, "byes": ["TOKEN_EXPIRED", "REPLACED"]}


def test_the_page_stays_away_as_long_as_a_goodbye_asks() -> None:
    said = node.run(
        PARTS
        + SOCKET
        + """
        const waits = [];
        const later = connection.later.bind(connection);
        connection.later = (ms, work) => { waits.push(ms); return later(Math.min(ms, 1), work); };
        connection.open();
        const first = await arrive(0);
        first.say(welcome);
        waits.length = 0;
        first.say({ goodbye: { reason: "SHUTTING_DOWN", retry_after_ms: 7000 } });
        first.onclose();
        const asked = waits.splice(0);
        const second = await arrive(1);
        second.say(welcome);
        waits.length = 0;
        second.onclose();
        answer({ asked, forgotten: waits });
        connection.close();
        """
    )
    # Besides what was asked, the usual first wait of 150 to 300 ms.
    assert [7150 <= wait <= 7300 for wait in said["asked"]] == [True]
    assert [150 <= wait <= 300 for wait in said["forgotten"]] == [True]


def test_an_outage_is_no_refusal_nothing_is_said_and_the_tokens_are_kept() -> None:
    """The reason is the gateway's own, services/gateway/doors/call.py."""
    said = node.run(
        PARTS
        + SOCKET
        + """
        await session.token();
        const healthy = session.call;
        session.call = async (method) => {
          calls.push(method);
          throw new Refused({ reason: job.reason, code: 14 });
        };
        now += 595_000;
        connection.open();
        while (!states().includes("waiting")) await tick();
        const down = calls.slice(2);
        session.call = healthy;
        connection.hurry();
        await arrive(0);
        answer({ down, up: calls.slice(3), refused: heard.filter(([kind]) => kind === "refused").length });
        connection.close();
        """,
        {"reason": "SERVICE_UNAVAILABLE"},
    )
    assert said["down"] == ["accounts/RefreshSession"]
    assert said["up"] == ["accounts/RefreshSession"]
    assert said["refused"] == 0


def test_a_player_who_has_just_come_to_be_is_known_as_new() -> None:
    said = node.run(
        PARTS
        + """
        const before = session.isNewPlayer;
        const made = session.call;
        session.call = async (method) => ({ ...(await made(method)), created: true });
        await session.token();
        answer([before, session.isNewPlayer]);
        """
    )
    assert said == [False, True]


def test_a_browser_without_a_key_or_one_that_was_left_asks_who_somebody_is() -> None:
    said = node.run(
        PARTS
        + """
        const reasonOf = (promise) => promise.then(() => "in", (error) => error.reason);
        const stranger = new Session({ local: new Storage(), tab: new Storage(), call, now: () => now });
        const asked = await reasonOf(stranger.token());
        await stranger.signIn();
        const guest = await reasonOf(stranger.token());
        stranger.leave();
        const left = await reasonOf(stranger.token());
        const after = new Session({ local: stranger.local, tab: new Storage(), call, now: () => now });
        answer({ asked, guest, left, reload: await reasonOf(after.token()), why: after.atDoor.why });
        """
    )
    assert said == {
        "asked": "SIGN_IN_NEEDED",
        "guest": "in",
        "left": "SIGN_IN_NEEDED",
        "reload": "SIGN_IN_NEEDED",
        "why": "out",
    }


def test_who_came_by_password_is_never_changed_for_the_guest_of_the_browser() -> None:
    said = node.run(
        PARTS
        + """
        await session.signInPassword("lin", "correct horse");
        const reloaded = new Session({ local, tab, call, now: () => now });
        now += 595_000;
        const reason = await reloaded.token().then(() => "in", (error) => error.reason);
        answer({ reason, calls });
        """
    )
    assert said["reason"] == "SIGN_IN_NEEDED"
    assert said["calls"] == ["accounts/SignInPassword"]


def test_a_remembered_browser_gets_a_key_of_its_own_and_the_guest_before_stays_in_the_list() -> None:
    said = node.run(
        PARTS
        + """
        const { keysBefore } = await load("js/net/identity.mjs");
        local.setItem("paiju.guest_name", "old friend");
        await session.signInPassword("lin", "correct horse");
        await session.remember();
        const reloaded = new Session({ local, tab: new Storage(), call, now: () => now });
        await reloaded.token();
        const changed = local.getItem("paiju.guest_key") !== "07".repeat(32);
        answer({ before: keysBefore(local), changed, calls });
        """
    )
    assert said["before"] == [{"secret": "07" * 32, "name": "old friend"}]
    assert said["changed"]
    assert said["calls"][1:3] == ["accounts/CreateChallenge", "accounts/AddDeviceKey"]
    assert said["calls"][3:] == ["accounts/CreateChallenge", "accounts/SignInGuest"]

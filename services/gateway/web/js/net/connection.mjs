// The one connection to the gateway: hello, calls, table commands, frames; comes back by itself after every loss.
import { afterGoodbye, waitMs } from "./backoff.mjs";
import { callHttp, resultOf } from "./http.mjs";
import { isOutage, Refused, Unreachable } from "./refused.mjs";
import { SIGN_IN_NEEDED } from "./session.mjs";
import { decode, encode, method } from "./wire.mjs";

const PING_MS = 12_000;
const SILENCE_MS = 30_000;
const ANSWER_WAIT_MS = 12_000;
const CLIENT = "paiju-page/1";

/**
 * `on(kind, value)` hears: `state` (`connecting`, `ready`, `waiting`, `stopped`), `frames`, `snapshot`, `detached`, `notice`,
 * `goodbye`, `clock` (server minus own clock, ms), `player`, `door` (somebody must choose who he is).
 */
export class Connection {
  constructor({ session, language, on, url = playUrl() }) {
    Object.assign(this, { session, language, on, url });
    this.socket = null;
    this.attempt = 0;
    this.nextId = 1;
    this.waiting = new Map();
    this.state = "stopped";
    this.goodbye = "";
    this.retryAfterMs = 0;
    this.timers = new Set();
  }

  setState(state) {
    this.state = state;
    this.on("state", state);
  }

  later(ms, work) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, ms);
    this.timers.add(timer);
    return timer;
  }

  get isReady() {
    return this.state === "ready";
  }

  /** Connect now, whatever was before. */
  async open() {
    this.close(false);
    this.setState("connecting");
    let token;
    try {
      token = await this.session.token();
    } catch (error) {
      if (error.reason === SIGN_IN_NEEDED) {
        this.setState("stopped");
        this.on("door");
        return;
      }
      if (error instanceof Refused && !isOutage(error)) this.on("refused", error);
      this.comeBack();
      return;
    }
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.goodbye = "";
    this.retryAfterMs = 0;
    socket.onopen = () => {
      if (socket === this.socket) this.hello(token);
    };
    socket.onmessage = (event) => {
      if (socket === this.socket) this.hear(new Uint8Array(event.data));
    };
    socket.onclose = () => {
      if (socket === this.socket) this.lost();
    };
  }

  hello(token) {
    this.send({ hello: { access_token: token, language: this.language(), client: CLIENT } }, false);
  }

  send(body, wantsAnswer = true) {
    const id = wantsAnswer ? this.nextId++ : 0;
    this.socket.send(encode("gateway.v1.PlayRequest", { id, ...body }));
    return id;
  }

  ask(body) {
    if (!this.isReady) return Promise.reject(new Unreachable("not connected"));
    const id = this.send(body);
    return new Promise((resolve, reject) => {
      const timer = this.later(ANSWER_WAIT_MS, () => {
        this.waiting.delete(id);
        reject(new Unreachable("no answer"));
      });
      this.waiting.set(id, { resolve, reject, timer });
    });
  }

  /** A call of another service, over the connection if it stands, else over HTTP. */
  async call(short, request = {}) {
    if (!this.isReady) return callHttp(short, request, await this.session.token());
    const { path, request: requestType, response } = method(short);
    const body = await this.ask({ call: { method: path, payload: encode(requestType, request) } });
    return resultOf(body.call_result, response);
  }

  /** A command to a table; throws Refused with the table's reason. */
  async command(tableId, body, commandId = "") {
    const answer = await this.ask({ table: { table_id: tableId, command_id: commandId, ...body } });
    if (answer.command_answer?.reason) throw new Refused(answer.command_answer);
    return answer;
  }

  hear(bytes) {
    this.heardAt = performance.now();
    let message;
    try {
      message = decode("gateway.v1.PlayResponse", bytes);
    } catch {
      return;
    }
    const waiter = this.waiting.get(message.reply_to);
    if (waiter) {
      this.waiting.delete(message.reply_to);
      clearTimeout(waiter.timer);
      if (message.refused) waiter.reject(new Refused(message.refused));
      else waiter.resolve(message);
    }
    if (message.welcome) this.welcome(message.welcome);
    else if (message.table_frames) this.on("frames", message.table_frames);
    else if (message.table_snapshot) this.on("snapshot", message.table_snapshot);
    else if (message.table_watching) this.on("watching", message.table_watching);
    else if (message.table_detached) this.on("detached", message.table_detached);
    else if (message.notice) this.on("notice", message.notice);
    else if (message.pong) this.on("clock", message.pong.now_ms - Date.now());
    else if (message.goodbye) this.leave(message.goodbye);
    else if (message.refused && !waiter) this.on("refused", new Refused(message.refused));
  }

  leave(goodbye) {
    this.goodbye = goodbye.reason;
    this.retryAfterMs = goodbye.retry_after_ms;
  }

  welcome(welcome) {
    const first = this.state !== "ready";
    this.attempt = 0;
    this.on("clock", welcome.now_ms - Date.now());
    this.on("player", welcome.player_id);
    if (first) {
      this.setState("ready");
      this.beat(this.socket);
    }
    clearTimeout(this.renewal);
    this.renewal = this.later(Math.max(1_000, this.session.renewInMs), () => this.renew(this.socket));
  }

  /** Send a fresh token before the old one ends. */
  async renew(socket) {
    try {
      const token = await this.session.token();
      if (socket === this.socket && this.isReady) this.hello(token);
    } catch {
      if (socket === this.socket) this.renewal = this.later(10_000, () => this.renew(socket));
    }
  }

  beat(socket) {
    if (socket !== this.socket || !this.isReady) return;
    if (performance.now() - this.heardAt > SILENCE_MS) {
      socket.close();
      this.lost();
      return;
    }
    this.send({ ping: { at_ms: Date.now() } }, false);
    this.later(PING_MS, () => this.beat(socket));
  }

  lost() {
    const reason = this.goodbye;
    this.close(false);
    const what = afterGoodbye(reason);
    if (what.tokens === "old") this.session.expire();
    if (what.tokens === "gone") this.session.forget();
    if (reason) this.on("goodbye", reason);
    if (what.again) this.comeBack(Math.max(what.afterMs, this.retryAfterMs));
    else this.setState("stopped");
  }

  comeBack(afterMs = 0) {
    this.setState("waiting");
    this.later(afterMs + waitMs(this.attempt++), () => this.open());
  }

  /** Try at once, e.g. when the network came back. */
  hurry() {
    if (this.state === "waiting") this.open();
  }

  close(tell = true) {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    const socket = this.socket;
    this.socket = null;
    if (socket) {
      socket.onclose = socket.onmessage = socket.onopen = null;
      socket.close();
    }
    for (const { reject } of this.waiting.values()) reject(new Unreachable("connection lost"));
    this.waiting.clear();
    if (tell) this.setState("stopped");
  }
}

function playUrl() {
  const { protocol, host } = globalThis.location ?? { protocol: "http:", host: "localhost" };
  return `${protocol === "https:" ? "wss" : "ws"}://${host}/play`;
}

// What the person and the gateway can make happen. Views call these; nothing else changes the state.
import { currentLanguage, setLanguage, t, tOr } from "../lib/i18n.mjs";
import { Sound } from "../lib/sound.mjs";
import { Connection } from "../net/connection.mjs";
import { Refused, wordsOf } from "../net/refused.mjs";
import { Session } from "../net/session.mjs";
import { keepSettings } from "../state.mjs";
import { ChatControls } from "./chat.mjs";
import { DoorControls } from "./door.mjs";
import { endingWords } from "./limits.mjs";
import { LobbyControls } from "./lobby.mjs";
import { PlayControls } from "./play.mjs";
import { ReplayControls } from "./replay.mjs";
import { RoomControls } from "./rooms.mjs";
import { Router } from "./router.mjs";
import { onKey } from "./keys.mjs";

const TOAST_MS = 4_000;
const TOASTS_MAX = 3;

/** The parts together. */
export class Controls {
  /** `pages`: the registry of pages. */
  constructor(store, pages = []) {
    this.store = store;
    this.sound = new Sound(() => store.state.settings.sound);
    this.session = new Session();
    this.connection = new Connection({
      session: this.session,
      language: currentLanguage,
      on: (kind, value) => this.hear(kind, value),
    });
    this.door = new DoorControls(this);
    this.lobby = new LobbyControls(this);
    this.rooms = new RoomControls(this);
    this.play = new PlayControls(this);
    this.chat = new ChatControls(this);
    this.replay = new ReplayControls(this, localStorage);
    this.nextToast = 1;
    /** The controls of each page, by its name. */
    this.pages = Object.fromEntries(pages.map((page) => [page.name, new page.control(this, page.name)]));
    this.router = new Router(this, pages);
  }

  get state() {
    return this.store.state;
  }

  change(work) {
    this.store.change(work);
  }

  async start() {
    this.change();
    this.router.ahead();
    await this.door.start();
  }

  /** Connect again because the person asks for it. */
  reconnect() {
    this.change((state) => {
      state.goodbye = "";
      state.replaced = false;
    });
    this.connection.attempt = 0;
    this.connection.open();
  }

  hear(kind, value) {
    switch (kind) {
      case "state":
        this.change((state) => {
          state.net = value;
          if (value === "ready") state.everReady = true;
        });
        if (value === "ready") this.ready();
        break;
      case "clock":
        this.state.clock.hear(value);
        break;
      case "player":
        this.state.playerId = value;
        break;
      case "goodbye":
        this.said(value);
        break;
      case "refused":
        this.fail(value);
        break;
      case "door":
        this.door.show();
        break;
      case "frames":
        this.play.onFrames(value);
        break;
      case "snapshot":
        this.play.onSnapshot(value);
        break;
      case "watching":
        this.pages.watch.hear(value);
        break;
      case "detached":
        this.play.onDetached(value);
        break;
      case "notice":
        this.notice(value);
        break;
    }
  }

  said(reason) {
    this.change((state) => (state.goodbye = reason));
    if (reason !== "TOKEN_EXPIRED" && reason !== "REPLACED" && reason !== "SESSION_REVOKED") {
      this.toast(tOr(`goodbye.${reason}`, "goodbye.other"));
    }
  }

  ready() {
    this.change((state) => {
      state.goodbye = "";
      state.roles = this.session.roles;
    });
    if (this.state.table) {
      this.play.attach();
      this.router.start();
    } else this.lobby.comeBack();
    if (!this.state.profile) this.lobby.loadAll();
    this.pages.friends.countAsks();
    if (!this.state.table) this.pages.friends.loadInvitations();
  }

  notice({ ticket, room, invite, chat, wallet, play_ending, friend }) {
    if (play_ending) this.playEnds(play_ending);
    if (ticket) this.lobby.onTicket(ticket);
    if (room) this.rooms.onRoom(room);
    if (invite) this.rooms.onInvite(invite);
    if (friend) this.pages.friends.hear(friend);
    if (chat) this.chat.hear(chat);
    if (wallet) {
      this.change((state) => (state.wallet = wallet));
      if (this.state.page) this.pages[this.state.page.name].hearWallet?.();
    }
  }

  /** The own time to play ends soon: said now, and below each result until then. */
  playEnds(ending) {
    this.change((state) => (state.playEnding = ending));
    this.toast(endingWords(ending), "bad");
  }

  /** Call another service. */
  call(short, request) {
    return this.connection.call(short, request);
  }

  /** Do one thing at a time under a name; failures become a toast. Returns what `work` gives, or undefined. */
  async once(name, work) {
    if (this.state.busy.has(name)) return undefined;
    this.change((state) => state.busy.add(name));
    try {
      return await work();
    } catch (error) {
      this.fail(error);
      return undefined;
    } finally {
      this.change((state) => state.busy.delete(name));
    }
  }

  fail(error) {
    if (error instanceof Refused) this.toast(wordsOf(error, currentLanguage(), t("error.refused")), "bad");
    else if (error?.reason === "UNREACHABLE") this.toast(t("error.unreachable"), "bad");
    else {
      console.error(error);
      this.toast(t("error.page"), "bad");
    }
  }

  toast(words, tone = "plain") {
    const id = this.nextToast++;
    this.change((state) => {
      if (state.toasts.some((toast) => toast.words === words)) return;
      state.toasts = [...state.toasts.slice(1 - TOASTS_MAX), { id, words, tone }];
    });
    setTimeout(() => this.change((state) => (state.toasts = state.toasts.filter((toast) => toast.id !== id))), TOAST_MS);
  }

  dialog(dialog) {
    this.sound.play("tap");
    if (!this.state.dialog) this.opener = document.activeElement;
    this.change((state) => (state.dialog = dialog));
  }

  /** Close what lies over the page; the focus goes back to what opened it. */
  closeDialog() {
    this.change((state) => (state.dialog = null));
    if (this.opener?.isConnected) this.opener.focus({ preventScroll: true });
  }

  language(next) {
    setLanguage(next);
    document.documentElement.lang = next;
    this.change();
  }

  setting(name, value) {
    this.change((state) => {
      state.settings[name] = value;
      keepSettings(localStorage, state.settings);
    });
    if (name === "sound" && value) {
      this.sound.wake();
      this.sound.play("turn");
    }
  }

  key(event) {
    onKey(event, this);
  }
}

// Talk at the table.
import { freshId } from "../lib/ids.mjs";

const MESSAGES_MAX = 60;
const BUBBLE_MS = 5_000;

/** Keys of the ready-made phrases. */
export const PHRASES = Array.from({ length: 10 }, (_, i) => `phrase_${String(i + 1).padStart(2, "0")}`);

/** Things to do with chat. */
export class ChatControls {
  constructor(controls) {
    this.controls = controls;
  }

  get channel() {
    return `table/${this.controls.state.table?.tableId ?? ""}`;
  }

  change(work) {
    this.controls.change((state) => work(state.chat, state));
  }

  async load() {
    const channel = this.channel;
    try {
      const { messages } = await this.controls.call("chat/ListMessages", { channel });
      if (channel === this.channel) this.change((chat) => (chat.messages = messages.slice(-MESSAGES_MAX)));
    } catch {
      // Talk is not needed for playing.
    }
  }

  clear() {
    this.change((chat) => Object.assign(chat, { messages: [], open: false, unread: 0, bubbles: new Map() }));
  }

  toggle(open = !this.controls.state.chat.open) {
    this.change((chat) => {
      chat.open = open;
      chat.unread = 0;
    });
  }

  hear(message) {
    if (message.channel !== this.channel) return;
    this.change((chat, state) => {
      if (chat.messages.some((known) => known.message_id === message.message_id)) return;
      chat.messages = [...chat.messages.slice(1 - MESSAGES_MAX), message];
      if (!chat.open && message.player_id !== state.playerId) chat.unread += 1;
      chat.bubbles.set(message.player_id, message);
    });
    setTimeout(() => {
      this.change((chat) => {
        if (chat.bubbles.get(message.player_id) === message) chat.bubbles.delete(message.player_id);
      });
    }, BUBBLE_MS);
  }

  say({ text = "", phrase = "" }) {
    if (!text && !phrase) return undefined;
    return this.controls.once("chat", async () => {
      const request = { request_id: freshId(), channel: this.channel, text: text.slice(0, 120), phrase };
      const { message } = await this.controls.call("chat/PostMessage", request);
      this.change((chat) => (chat.open = false));
      if (message) this.hear(message);
    });
  }
}

"""Pure decisions of chat: what a message may be."""

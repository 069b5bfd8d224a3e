"""What the gateway says and hears on the bus: tables' commands and frames, notices, chat, revocations."""

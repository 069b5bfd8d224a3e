"""Pure decisions of the gateway: what may be called, what waits for an answer, what still goes out."""

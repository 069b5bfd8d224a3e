"""Pure decisions about people."""

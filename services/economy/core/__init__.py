"""Pure decisions about money."""

"""Talk at a table."""

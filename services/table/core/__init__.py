"""The pure decisions of a table: a deterministic fold of its log."""

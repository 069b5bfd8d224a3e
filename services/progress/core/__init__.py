"""Pure decisions about days, streaks and counts."""

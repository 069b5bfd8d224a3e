"""Who people are: keys, sessions, profiles."""

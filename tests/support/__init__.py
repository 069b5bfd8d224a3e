"""Real parts for tests: NATS, PostgreSQL, and whole processes in memory."""

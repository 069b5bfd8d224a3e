"""The book in SQL: `fn(connection)` functions for `db.run`, all of one transaction or nothing."""

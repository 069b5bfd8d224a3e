"""What progress keeps: `fn(connection)` functions for `db.run`."""

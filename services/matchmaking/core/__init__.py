"""Pure decisions of matchmaking: which tickets form a table, and what a table is made from."""

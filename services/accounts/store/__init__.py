"""Players, keys, challenges and sessions in SQL."""

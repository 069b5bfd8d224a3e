"""Alembic migrations of the matchmaking database."""

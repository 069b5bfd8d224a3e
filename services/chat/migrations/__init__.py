"""Alembic migrations of the chat database."""

"""Alembic migrations of the anticheat database."""

"""Migrations of progress."""

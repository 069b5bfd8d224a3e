"""Migrations of the book."""

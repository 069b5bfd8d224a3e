"""Migrations of the finished records."""

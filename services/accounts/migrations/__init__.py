"""Migrations of accounts."""

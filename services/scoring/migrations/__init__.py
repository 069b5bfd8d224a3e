"""Migrations of scoring."""

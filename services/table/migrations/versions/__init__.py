"""Versions, oldest first."""

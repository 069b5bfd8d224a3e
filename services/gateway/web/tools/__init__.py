"""Build tools of the page."""

"""Tables: where matches are played. See README.md."""

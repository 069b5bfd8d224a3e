"""The command line, and `paiju up`: everything on one machine. Nobody imports it."""

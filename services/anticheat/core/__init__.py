"""Pure observations of rounds."""

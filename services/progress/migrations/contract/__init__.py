"""Steps that drop what no process of this release uses, oldest first."""

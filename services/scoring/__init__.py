"""The independent auditor: recomputes every round with its own code."""

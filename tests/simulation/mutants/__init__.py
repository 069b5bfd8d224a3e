"""Planted mutants: each leaves one rule of the shard log or its neighbours out, and some seed convicts it.

`python -m tests.simulation.mutants --list` names them; see docs/simulation-mutants.md.
"""

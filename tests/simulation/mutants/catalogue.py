"""All mutants: importing this registers them."""

from tests.simulation.mutants import shard_log
from tests.simulation.mutants.planting import MUTANTS

__all__ = ["MUTANTS", "shard_log"]

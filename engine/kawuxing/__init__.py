"""卡五星: rules, scoring, turn machine, notation and bots."""

from engine.kawuxing.game import Kawuxing

__all__ = ["Kawuxing"]

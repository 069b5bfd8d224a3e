"""清混碰: rules, scoring, turn machine, notation and bots."""

from engine.qinghunpeng.game import Qinghunpeng

__all__ = ["Qinghunpeng"]

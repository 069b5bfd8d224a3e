"""比大小: the smallest game that shows the whole face. CONTRIBUTING's recipe is proven by adding it."""

from .game import Bidaxiao

__all__ = ["Bidaxiao"]

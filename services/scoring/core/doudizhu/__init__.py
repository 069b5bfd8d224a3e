"""斗地主, the second mind: written from the rules, apart from the engine (docs/games/doudizhu.md)."""

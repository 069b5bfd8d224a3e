"""卡五星, the second mind: written from the rules, apart from the engine (docs/games/kawuxing.md)."""

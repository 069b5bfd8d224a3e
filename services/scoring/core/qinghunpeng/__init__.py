"""清混碰, the second mind: written from the rules, apart from the engine (docs/games/qinghunpeng.md)."""

"""What games with mahjong tiles share: tiles, hands as one integer, win check, waits, readings, distance."""

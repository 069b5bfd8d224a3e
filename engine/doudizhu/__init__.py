"""斗地主: rules, legal plays, turn machine, notation and bots."""

from engine.doudizhu.cards import format_cards, parse_cards
from engine.doudizhu.game import Doudizhu
from engine.doudizhu.plays import Book, book_of
from engine.doudizhu.readings import Reading, Wings, beats, read

__all__ = ["Book", "Doudizhu", "Reading", "Wings", "beats", "book_of", "format_cards", "parse_cards", "read"]

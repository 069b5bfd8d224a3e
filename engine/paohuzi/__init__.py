"""跑胡子: rules, search, turn machine, notation and bots."""

from engine.paohuzi.cards import format_cards, hand_cards, make_hand, parse_card, parse_cards
from engine.paohuzi.eating import eats
from engine.paohuzi.game import Paohuzi
from engine.paohuzi.hu import Laid
from engine.paohuzi.scoring import best_hu
from engine.paohuzi.waiting import waits

__all__ = [
    "Laid",
    "Paohuzi",
    "best_hu",
    "eats",
    "format_cards",
    "hand_cards",
    "make_hand",
    "parse_card",
    "parse_cards",
    "waits",
]

"""What is sold, and which promotions make it more: data, read and checked whole at the start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from services.economy.core.topup import FEN_MAX, GEMS_MAX

ID: Final = r"^[a-z][a-z0-9_]{0,31}$"

_Id = Annotated[str, Field(pattern=ID)]


One = TypeVar("One", bound="Product | Pack | Promotion")


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Title(_Data):
    """A text in both languages of the page."""

    zh: str = Field(min_length=1, max_length=40)
    en: str = Field(min_length=1, max_length=60)


class Product(_Data):
    """A pack of gems."""

    id: _Id
    gems: int = Field(ge=1, le=GEMS_MAX)
    price_fen: int = Field(ge=1, le=FEN_MAX)
    title: Title


class Pack(_Data):
    """Something that gems buy: one way, never back."""

    id: _Id
    gems: int = Field(ge=1, le=GEMS_MAX)
    currency: str = Field(pattern="^(gold|room_card)$")
    amount: int = Field(ge=1, le=10**12)
    title: Title


class Promotion(_Data):
    """Gems on top of what a product gives: a rebate in kind."""

    id: _Id
    title: Title
    products: tuple[_Id, ...] = ()
    """Which; empty = all."""
    bonus_percent: int = Field(default=0, ge=0, le=1000)
    """Of the product's gems, rounded down."""
    bonus_gems: int = Field(default=0, ge=0, le=GEMS_MAX)
    """As many, whatever the product gives; added to the percentage."""
    first_only: bool = False
    """Only for a player who has never paid."""
    per_player: int = Field(default=0, ge=0, le=1000)
    """How often a player gets it at most; 0 = always."""
    begins: datetime | None = None
    """With its offset from UTC; None = from ever."""
    ends: datetime | None = None
    """From then on no more; None = for ever."""

    @model_validator(mode="after")
    def _makes_sense(self) -> Promotion:
        for name, moment in (("begins", self.begins), ("ends", self.ends)):
            if moment is not None and moment.tzinfo is None:
                raise ValueError(f"promotion {self.id}: {name} has no offset from UTC")
        if self.begins and self.ends and self.begins >= self.ends:
            raise ValueError(f"promotion {self.id}: it ends before it begins")
        if not self.bonus_percent and not self.bonus_gems:
            raise ValueError(f"promotion {self.id}: it gives nothing")
        return self

    @property
    def ends_at_ms(self) -> int:
        """Unix milliseconds; 0 = it does not end."""
        return int(self.ends.timestamp() * 1000) if self.ends else 0

    def bonus_on(self, product: Product) -> int:
        """Return the gems on top of a product."""
        return product.gems * self.bonus_percent // 100 + self.bonus_gems

    def is_on(self, product: Product, history: History, now_ms: int) -> bool:
        """Return whether it holds for a product, for the player of this history, now."""
        if self.products and product.id not in self.products:
            return False
        if self.begins is not None and now_ms < self.begins.timestamp() * 1000:
            return False
        if self.ends is not None and now_ms >= self.ends.timestamp() * 1000:
            return False
        return self.is_for(history)

    def is_for(self, history: History) -> bool:
        """Return whether a player may have it once more, whatever the time."""
        if self.first_only and history.has_paid:
            return False
        most = self.per_player or (1 if self.first_only else 0)
        return not most or history.uses.get(self.id, 0) < most


@dataclass(frozen=True, slots=True)
class History:
    """What promotions must know of a player."""

    has_paid: bool = False
    """Some order of his was paid once, whatever became of it."""
    uses: Mapping[str, int] = field(default_factory=dict)
    """Promotion → orders of his that had it: paid ones, whatever became of them, and those that wait."""


class Catalogue(_Data):
    """Everything that is sold."""

    products: tuple[Product, ...]
    promotions: tuple[Promotion, ...] = ()
    packs: tuple[Pack, ...] = ()

    @model_validator(mode="after")
    def _names_fit(self) -> Catalogue:
        known = {product.id for product in self.products}
        for what, of in (("product", self.products), ("promotion", self.promotions), ("pack", self.packs)):
            ids = [one.id for one in of]
            if twice := sorted({name for name in ids if ids.count(name) > 1}):
                raise ValueError(f"{what} listed twice: {', '.join(twice)}")
        for promotion in self.promotions:
            if unknown := sorted(set(promotion.products) - known):
                raise ValueError(f"promotion {promotion.id}: no such product: {', '.join(unknown)}")
        for product in self.products:
            most = sum(promotion.bonus_on(product) for promotion in self.promotions)
            if product.gems + most > GEMS_MAX:
                raise ValueError(f"product {product.id}: with promotions more than {GEMS_MAX} gems")
        return self

    def product(self, product_id: str) -> Product | None:
        """Return a product, or None."""
        return _by_id(self.products, product_id)

    def pack(self, pack_id: str) -> Pack | None:
        """Return a pack, or None."""
        return _by_id(self.packs, pack_id)

    def promotion(self, promotion_id: str) -> Promotion | None:
        """Return a promotion, or None."""
        return _by_id(self.promotions, promotion_id)

    def best(self, product: Product, history: History, now_ms: int) -> Promotion | None:
        """Return the promotion that gives this player most on a product now; among equals the first."""
        on = [one for one in self.promotions if one.is_on(product, history, now_ms) and one.bonus_on(product)]
        return max(on, key=lambda one: one.bonus_on(product), default=None)


def parse_catalogue(data: Any) -> Catalogue:
    """Return the catalogue that JSON data describes.

    Raises:
        ValueError: It describes none; with every problem, each by its place.
    """
    try:
        return Catalogue.model_validate(data)
    except ValidationError as error:
        raise ValueError("; ".join(_problems(error))) from error


def _problems(error: ValidationError) -> Iterable[str]:
    for problem in error.errors():
        place = ".".join(str(part) for part in problem["loc"])
        said = problem["msg"].removeprefix("Value error, ")
        yield f"{place}: {said}" if place else said


def _by_id(ones: Sequence[One], wanted: str) -> One | None:
    return next((one for one in ones if one.id == wanted), None)

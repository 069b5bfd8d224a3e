"""Wallet reads that come at the same time share one question to the database."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from paiju.economy.v1 import economy_service_pb2 as pb

from services.chassis.db import Database
from services.economy.store import wallets

Answer = asyncio.Future[pb.GetWalletResponse]

READ_MAX = 500
"""Players asked about in one question at most."""


class WalletReads:
    """Reads wallets; whoever comes while a read runs is answered by the next one, all of them at once.

    Every answer is from a statement that began after it was asked for, so a caller sees what he has written:
    nothing is remembered between reads, and any process may have written.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: defaultdict[str, list[Answer]] = defaultdict(list)
        self._reading: asyncio.Task[None] | None = None

    async def read(self, player_id: str) -> pb.GetWalletResponse:
        """Return the wallet of a player; an empty one if he has none.

        Raises:
            Outage: The database can't be reached.
        """
        answer: Answer = asyncio.get_running_loop().create_future()
        self._waiting[player_id].append(answer)
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._read())
        return await answer

    async def _read(self) -> None:
        try:
            while self._waiting:
                players = list(self._waiting)[:READ_MAX]
                asked = {player_id: self._waiting.pop(player_id) for player_id in players}
                try:
                    asking = wallets.held_parameters(self._db.dialect, players)
                    rows = await self._db.fetch(wallets.held_query(self._db.dialect), asking)
                    found = wallets.wallets_from(players, rows)
                except Exception as error:  # noqa: BLE001 - it is the callers', and is raised there
                    for answer in _open(asked):
                        answer.set_exception(error)
                else:
                    for player_id, answers in asked.items():
                        for answer in answers:
                            if not answer.done():
                                answer.set_result(found[player_id])
        finally:
            self._reading = None


def _open(asked: dict[str, list[Answer]]) -> list[Answer]:
    return [answer for answers in asked.values() for answer in answers if not answer.done()]

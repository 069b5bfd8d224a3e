"""A guest: a key of his own, proven; and tokens that are renewed before they end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.chassis.clock import Clock
from services.launch.load.wires import post, session_for

SERVICE: Final = "paiju.accounts.v1.AccountsService"

RENEW_MS: Final = 90_000
"""Tokens are renewed so long before they end; short ones at half of their life."""


class Account:
    """One guest; made anew in each test, so that everybody has his welcome grant.

    Args:
        url: Says which gateway to ask now.
        source: The address to connect from; empty = any.
        clock: The time.
    """

    def __init__(self, url: Callable[[], str], source: str, clock: Clock) -> None:
        self.player_id = ""
        self.access_token = ""
        self.renew_at_ms = 0
        """When to ask for new tokens."""
        self._clock = clock
        self._refresh_token = ""
        self._url = url
        self._source = source
        self._key = Ed25519PrivateKey.generate()

    async def sign_in(self) -> None:
        """Prove the key, over plain HTTP as the page does.

        Raises:
            Refused, Lost: It did not work.
        """
        public = self._key.public_key().public_bytes_raw()
        url = self._url()
        async with session_for(self._source) as http:
            asked = pb.CreateChallengeRequest(public_key=public)
            challenge = (
                await post(http, url, f"{SERVICE}/CreateChallenge", asked, pb.CreateChallengeResponse)
            ).challenge
            proof = pb.SignInGuestRequest(
                public_key=public,
                challenge=challenge,
                signature=self._key.sign(b"paiju-guest-1" + challenge),
                device="paiju load",
            )
            answer = await post(http, url, f"{SERVICE}/SignInGuest", proof, pb.SignInGuestResponse)
        self.player_id = answer.profile.player_id
        self._take(answer.tokens)

    async def refresh(self) -> None:
        """Get new tokens.

        Raises:
            Refused, Lost: It did not work.
        """
        asked = pb.RefreshSessionRequest(refresh_token=self._refresh_token)
        async with session_for(self._source) as http:
            answer = await post(
                http, self._url(), f"{SERVICE}/RefreshSession", asked, pb.RefreshSessionResponse
            )
        self._take(answer.tokens)

    def _take(self, tokens: pb.SessionTokens) -> None:
        self.access_token, self._refresh_token = tokens.access_token, tokens.refresh_token
        left_ms = tokens.access_expires_at_ms - self._clock.now_ms()
        self.renew_at_ms = tokens.access_expires_at_ms - min(RENEW_MS, left_ms // 2)

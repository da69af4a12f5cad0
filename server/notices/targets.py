"""The targets of the notices of a seat: checks them, and delivers to them."""

import base64
import hmac
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from clerestory.server.config import host_of, url_fault
from clerestory.server.games.background import contained
from clerestory.server.games.cache import typed
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.notices import Delivery, Receiver, TurnNotice
from clerestory.server.games.store import NoticeTarget, Store
from clerestory.server.notices.post import Result, may_be_public, post
from clerestory.server.notices.webhook import signed_headers
from clerestory.service_errors import Reason, raise_error

if TYPE_CHECKING:
    from clerestory.server.notices.push import PushSigner

LONGEST_URL = 1000  # characters
GONE, PUSH_GONE = (410,), (404, 410)  # statuses of a webhook and of a subscription that no longer exist


class SeatTargets:
    """The targets of all seats.

    Args:
        store: the store of games.
        webhooks: which hosts a webhook may have: `none`, `public` or `any`.
        push: signs push messages; None if there are none.
    """

    def __init__(self, store: Store, webhooks: str, push: "PushSigner | None" = None) -> None:
        self._store = store
        self._webhooks = webhooks
        self._push = push

    @property
    def enabled(self) -> bool:
        """Whether the server sends notices to any targets."""
        return self._webhooks != "none" or self._push is not None

    @property
    def push_key(self) -> str:
        """The public key with which browsers subscribe; "" if the server sends no push messages."""
        return "" if self._push is None else self._push.public

    async def add_webhook(self, hosted: HostedGame, seat: int, url: str) -> str:
        """Add a webhook of a seat's holder; return the secret that signs its notices.

        Raises ServiceError: NOTICES_OFF, BAD_NOTICE_TARGET, TOO_MANY_NOTICE_TARGETS, DISK_FULL, STORE_FAILED.
        """
        if self._webhooks == "none":
            raise_error(Reason.NOTICES_OFF, "url", "the operator has not allowed webhooks of seats")
        require_url(url, private=self._webhooks == "any")
        await self._add(hosted, seat, url, b"")
        return f"whsec_{base64.b64encode(self._key(hosted.seats[seat].token, url)).decode()}"

    async def add_push(self, hosted: HostedGame, seat: int, url: str, point: bytes, secret: bytes) -> None:
        """Add a push subscription of a seat's holder, with its public key and authentication secret.

        Raises ServiceError as `add_webhook` does.
        """
        if self._push is None:
            raise_error(Reason.NOTICES_OFF, "push_keys", "the operator has set no key for push messages")
        require_url(url, private=False)
        if (fault := self._push.fault_of(point, secret)) is not None:
            raise_error(Reason.BAD_NOTICE_TARGET, f"push_keys.{fault[0]}", fault[1])
        await self._add(hosted, seat, url, point + secret)

    async def _add(self, hosted: HostedGame, seat: int, url: str, keys: bytes) -> None:
        target = NoticeTarget(seat, hosted.seats[seat].token, url, keys, hosted.version)
        with typed():
            if not await self._store.keep_target(hosted.head.game_id, target):
                raise_error(
                    Reason.TOO_MANY_NOTICE_TARGETS, "url", "the seat has its limit of targets; remove one first"
                )

    async def remove(self, hosted: HostedGame, seat: int, url: str) -> None:
        """Remove a target of a seat, if it exists. Raises ServiceError: DISK_FULL, STORE_FAILED."""
        if url_fault(url):
            return  # some stores cannot hold such a text
        with typed():
            await self._store.drop_target(hosted.head.game_id, seat, url)

    async def is_active(self, hosted: HostedGame, seat: int, url: str) -> bool:
        """Return whether a target of a seat's holder is notified. Raises ServiceError: DISK_FULL, STORE_FAILED."""
        with typed():
            found = await self._store.targets(hosted.head.game_id, seat, hosted.seats[seat].token)
        return any(target.url == url and self._sends_to(target) for target in found)

    def _sends_to(self, target: NoticeTarget) -> bool:
        """Whether the server sends notices to targets of this kind; the operator may have turned them off."""
        return self._push is not None if target.keys else self._webhooks != "none"

    async def find(self, notice: TurnNotice) -> Sequence[Receiver]:
        """Return the targets that this server is to send a notice to. Raises StoreError."""
        found = await self._store.claim_targets(notice.game_id, notice.seat, notice.holder, notice.version)
        return [Receiver(target.url, host_of(target.url), partial(self._send, target)) for target in found]

    async def _send(self, target: NoticeTarget, notice: TurnNotice) -> Delivery:
        """Make one attempt to deliver a notice, and store a change of the target.

        There is none if the operator has turned off targets of this kind.
        """
        if not self._sends_to(target):
            return Delivery.REJECTED
        result = await self._post(target, notice)
        with contained("storing what became of a notice"):
            if result.status in (PUSH_GONE if target.keys else GONE):
                await self._store.drop_target(notice.game_id, target.seat, target.url)
            elif result.delivery != Delivery.FAILED:
                await self._store.tell_target(notice.game_id, target.seat, target.url, notice.version)
        return result.delivery

    async def _post(self, target: NoticeTarget, notice: TurnNotice) -> Result:
        """Make one attempt."""
        seconds = self._store.now() // 1000
        if self._push is not None and target.keys:
            headers, body = self._push.message(target.url, target.keys, notice, seconds)
            return await post(target.url, headers, body, private=False)
        body = notice.to_json().encode()
        headers = signed_headers(self._key(target.holder, target.url), notice.name, seconds, body)
        return await post(target.url, headers, body, private=self._webhooks == "any")

    def _key(self, holder: str, url: str) -> bytes:
        """Return the key of a webhook: derived, not stored, so that a repeated call returns the same."""
        return hmac.digest(self._store.secret, f"webhook {holder} {url}".encode(), "sha256")


def require_url(url: str, *, private: bool) -> None:
    """Raise ServiceError, BAD_NOTICE_TARGET, for an address that notices may not be posted to."""
    fault = f"has {len(url)} characters; may have {LONGEST_URL}" if len(url) > LONGEST_URL else ""
    fault = fault or url_fault(url, ("https", "http") if private else ("https",))
    if not (fault or private or may_be_public(host_of(url))):
        fault = f"names {host_of(url)[:80]!r}, which is not a public host"
    if fault:
        raise_error(Reason.BAD_NOTICE_TARGET, "url", fault)

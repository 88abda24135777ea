"""Who sends a request, and what they may do.

Every route that reads a photo, stores or shows something takes `needs` as a dependency::

    @router.get("/cases")
    def cases(who: Annotated[Principal, Depends(needs("referee"))]) -> ...:

If the settings require no key (`hupai.api.auth.access`), a client that sends none is `LOCAL` and
may do everything. A key that is sent is always checked, so a wrong one is never treated as none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from fastapi.openapi.models import HTTPBearer as BearerModel
from fastapi.security.base import SecurityBase
from starlette.requests import HTTPConnection
from starlette.types import Scope

from hupai.api.web.problem_types import FORBIDDEN, UNAUTHENTICATED
from hupai.api.web.problems import ApiProblem

ScopeName = Literal["player", "operator", "referee"]
SCOPES: tuple[ScopeName, ...] = get_args(ScopeName)


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a key.

    Attributes:
        name: name of the key, or ``local`` if none is required.
        scopes: what the key may do. Operators and referees may do what a player may.
    """

    name: str
    scopes: frozenset[str]

    @classmethod
    def with_scopes(cls, name: str, scopes: frozenset[str]) -> Principal:
        """Make a principal with these scopes and those that they imply."""
        return cls(name, scopes | {"player"} if scopes & {"operator", "referee"} else scopes)


LOCAL = Principal("local", frozenset(SCOPES))


@dataclass(frozen=True, slots=True)
class Credentials:
    """The holder of the key that came (None: a wrong key), and whether it came in the address."""

    principal: Principal | None
    in_query: bool = False


def needs_a_key(scope: Scope) -> bool:
    """Return whether this request needs a key, as the guard found; True if it did not run."""
    return bool(scope.get("state", {}).get("needs_key", True))


def who_asks(scope: Scope, *, in_address: bool) -> Principal:
    """Return the principal of a request or WebSocket, by the key that came with it.

    Args:
        scope: scope of the ASGI connection.
        in_address: whether the key may be in the address.

    Raises:
        ApiProblem: ``unauthenticated``.
    """
    given: Credentials | None = scope.get("state", {}).get("credentials")
    if given is not None and given.in_query and not in_address:
        raise _unauthenticated(
            "Send the key as header Authorization, not in the address.",
            "请用 Authorization 头发送密钥。",
        )
    if given is None:
        if needs_a_key(scope):
            raise _unauthenticated("This service asks for a key.", "此服务需要密钥。")
        return LOCAL
    if given.principal is None:
        raise _unauthenticated(
            "The key is not known, has expired or was revoked.", "密钥无效、已过期或已撤销。"
        )
    return given.principal


async def is_still_admitted(connection: HTTPConnection, who: Principal) -> bool:
    """Return whether the key of an open connection is still in force: it may be revoked, or expire.

    Streams and WebSockets ask this now and then. While the storage does not answer they go on.
    """
    look_up: Callable[[], Awaitable[Credentials | None]] | None = connection.scope["state"].get(
        "look_up_again"
    )
    if look_up is None:
        return True
    try:
        given = await look_up()
    except ApiProblem:
        return True
    return given is None or given.principal == who


class Needs(SecurityBase):
    """The dependency made by `needs`. In the OpenAPI document each scope is a security scheme."""

    def __init__(self, scope: ScopeName, query_key: bool) -> None:
        self.scope = scope
        self.query_key = query_key
        self.scheme_name = scope
        self.model = BearerModel(description=f"A key of `hupai keys add NAME --scope {scope}`.")

    async def __call__(self, connection: HTTPConnection) -> Principal:
        """Return the principal of this request or WebSocket.

        Raises:
            ApiProblem: ``unauthenticated`` or ``forbidden``.
        """
        in_address = self.query_key or _cannot_send_headers(connection)
        principal = who_asks(connection.scope, in_address=in_address)
        if self.scope not in principal.scopes:
            raise ApiProblem(
                FORBIDDEN,
                f"The key {principal.name!r} lacks the scope {self.scope}.",
                f"密钥 {principal.name} 没有 {self.scope} 权限。",
                extra={"scope": self.scope},
            )
        return principal


@cache
def needs(scope: ScopeName, *, query_key: bool = False) -> Needs:
    """Make the dependency that admits only principals with `scope`, and gives the `Principal`.

    Args:
        scope: player, operator or referee.
        query_key: accept the key as ``?key=`` too, for pages that OBS opens. WebSockets and event
            streams always do.
    """
    return Needs(scope, query_key)


def _cannot_send_headers(connection: HTTPConnection) -> bool:
    """Whether a browser opens this without letting the page set headers."""
    return connection.scope["type"] == "websocket" or "text/event-stream" in connection.headers.get(
        "accept", ""
    )


def _unauthenticated(detail: str, detail_zh: str) -> ApiProblem:
    return ApiProblem(
        UNAUTHENTICATED, detail, detail_zh, headers={"WWW-Authenticate": 'Bearer realm="hupai"'}
    )

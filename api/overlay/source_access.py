"""Checks who may set the source of a broadcast table, which this service then opens."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from hupai.api.auth.access import AccessPolicy
from hupai.api.auth.principal import LOCAL, Principal
from hupai.api.overlay.schemas import Command, Settle, TableSettings
from hupai.api.web.problem_types import SOURCE_NOT_ALLOWED
from hupai.api.web.problems import ApiProblem
from hupai.vision.video.several_cameras import addresses


def check_source(
    connection: HTTPConnection, who: Principal, asked: TableSettings | Command
) -> None:
    """Refuse a source that this client may not name.

    Args:
        connection: the request or WebSocket of the client.
        who: the client.
        asked: settings of a table, or a command that may contain them.

    Raises:
        ApiProblem: ``source-not-allowed``.
    """
    settings = asked.settings if isinstance(asked, Settle) else asked
    if not isinstance(settings, TableSettings) or settings.source is None:
        return
    policy: AccessPolicy = connection.app.state.access
    if not all(
        policy.admits_source(source, connection.scope, has_key=who is not LOCAL)
        for source in addresses(settings.source)
    ):
        raise ApiProblem(
            SOURCE_NOT_ALLOWED,
            "Without a key another machine may set up tables with the source push only.",
            "没有密钥时，其他设备只能设置来源为 push 的牌桌。",
        )

"""What pages of other origins may do (CORS); the rest is refused as any other request is."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, Response

from hupai.api.web.middleware.requests import request_id_of
from hupai.api.web.problem_types import CROSS_ORIGIN
from hupai.api.web.problems import MEDIA_TYPE, problem_body


class CrossOriginMiddleware(CORSMiddleware):
    """Starlette's middleware, whose answers to preflight requests are those of this service.

    They never reach `hupai.api.web.middleware.requests`, so they get their request id here.
    """

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a preflight request; a refusal is a problem."""
        answer = super().preflight_response(request_headers)
        request_id = request_id_of(request_headers)
        if answer.status_code >= 400:
            body = problem_body(
                CROSS_ORIGIN,
                "The service does not allow this for pages of that origin.",
                "本服务不允许该来源的页面这样做。",
                request_id,
            )
            kept = {
                name: value
                for name, value in answer.headers.items()
                if name.startswith("access-control-") or name == "vary"
            }
            answer = JSONResponse(body, CROSS_ORIGIN.status, headers=kept, media_type=MEDIA_TYPE)
        answer.headers["X-Request-ID"] = request_id
        return answer

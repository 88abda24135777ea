"""The types of problems that the service answers, one entry each; docs/problems.md and
/problems/<slug> are written from them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProblemType:
    """One kind of problem: `slug` ends its type URI ``/problems/<slug>``, the rest is for
    people.
    """

    slug: str
    status: int
    title: str
    title_zh: str
    meaning: str
    advice: str
    advice_zh: str

    @property
    def uri(self) -> str:
        """The ``type`` member, a reference relative to the service."""
        return f"/problems/{self.slug}"


BAD_REQUEST = ProblemType(
    "bad-request",
    400,
    "Request not understood",
    "无法理解请求",
    "The body is no multipart form or no JSON, though its Content-Type says so.",
    "Send the body as the Content-Type says; a library that builds the form or JSON does it right.",
    "请按 Content-Type 的格式发送。",
)
UNAUTHENTICATED = ProblemType(
    "unauthenticated",
    401,
    "Key needed",
    "需要密钥",
    "The service asks for a key, or the key that was sent is not known.",
    "Send a key as `Authorization: Bearer hupai_…`. The operator makes one with `hupai keys add`.",
    "请用 Authorization: Bearer 发送密钥；密钥由管理员用 hupai keys add 生成。",
)
FORBIDDEN = ProblemType(
    "forbidden",
    403,
    "Key may not do this",
    "密钥权限不足",
    "The key is good, but its scopes do not cover the route; `scope` names the one that is needed.",
    "Ask the operator for a key with that scope.",
    "请向管理员索取有该权限的密钥。",
)
CROSS_ORIGIN = ProblemType(
    "cross-origin",
    403,
    "Page of another origin",
    "其他网站的页面",
    "A browser sent this for a page of an origin that is neither the service's own nor among HUPAI_CORS_ORIGINS, without a key.",
    "Send a key, or ask the operator to allow the origin.",
    "请发送密钥，或请管理员允许该来源。",
)
RATE_LIMITED = ProblemType(
    "rate-limited",
    429,
    "Too many requests",
    "请求过于频繁",
    "This key or address has used up its requests; the header RateLimit tells how many are left.",
    "Send the same request again after Retry-After seconds.",
    "请在 Retry-After 秒后重试。",
)
NOT_FOUND = ProblemType(
    "not-found",
    404,
    "Nothing here",
    "没有这个地址",
    "The path leads nowhere, or names a tile, problem or example that does not exist.",
    "Take the paths from /openapi.json.",
    "地址见 /openapi.json。",
)
METHOD_NOT_ALLOWED = ProblemType(
    "method-not-allowed",
    405,
    "Method not allowed",
    "不支持的方法",
    "The path exists, but not for this HTTP method.",
    "Use a method named in the Allow header.",
    "请用 Allow 头列出的方法。",
)
NOT_ACCEPTABLE = ProblemType(
    "not-acceptable",
    406,
    "No such form of answer",
    "不支持的答复格式",
    "The Accept header asks for a form this route does not give.",
    "Accept application/json, or image/jpeg or image/png for the annotated photo.",
    "请接受 application/json、image/jpeg 或 image/png。",
)
UPLOAD_TIMEOUT = ProblemType(
    "upload-timeout",
    408,
    "Upload took too long",
    "上传超时",
    "The body of the request did not come whole within the service's time limit.",
    "Send it again over a better connection, or send a smaller photo.",
    "请换更好的网络重试，或上传更小的照片。",
)
TOO_LARGE = ProblemType(
    "too-large",
    413,
    "Upload too large",
    "文件太大",
    "The request body is larger than the service accepts; reading stopped there.",
    "Scale the photo down: 2000 pixels on the long side are enough.",
    "请缩小照片，长边 2000 像素就够。",
)
NOT_A_PICTURE = ProblemType(
    "not-a-picture",
    415,
    "Not a picture",
    "不是图片",
    "The first bytes are of no JPEG, PNG, WebP or HEIC picture, whatever the name or Content-Type says.",
    "Send a photo as JPEG, PNG, WebP or HEIC.",
    "请上传 JPEG、PNG、WebP 或 HEIC 照片。",
)
UNSUPPORTED_MEDIA_TYPE = ProblemType(
    "unsupported-media-type",
    415,
    "Wrong Content-Type",
    "Content-Type 不对",
    "The route takes another Content-Type.",
    "Send photos as multipart/form-data with a file field 'photo', hands as application/json.",
    "照片用 multipart/form-data（文件字段 photo），手牌用 application/json。",
)
INVALID = ProblemType(
    "invalid-request",
    422,
    "Fields missing or wrong",
    "字段缺失或有误",
    "`errors` lists every field with what is wrong with it.",
    "Correct the fields named in `errors`.",
    "请改正 errors 列出的字段。",
)
EMPTY_UPLOAD = ProblemType(
    "empty-upload",
    422,
    "Empty file",
    "文件是空的",
    "The uploaded file has no bytes.",
    "Choose the photo again; it may not have been saved completely.",
    "请重新选择照片，可能没有保存完整。",
)
UNREADABLE_PICTURE = ProblemType(
    "unreadable-picture",
    422,
    "Picture cannot be read",
    "图片无法读取",
    "It begins like a picture but is truncated or damaged.",
    "Take or export the photo again.",
    "请重新拍摄或导出照片。",
)
BAD_SIZE = ProblemType(
    "bad-picture-size",
    422,
    "Picture too big or too small",
    "图片尺寸不合适",
    "Width times height is above the limit, or a side is too short to hold tiles. Checked before decoding.",
    "Send a photo whose long side has about 1000 to 4000 pixels.",
    "照片长边请在 1000 到 4000 像素之间。",
)
UNKNOWN_RULES = ProblemType(
    "unknown-rules",
    422,
    "Unknown rule set",
    "没有这个规则",
    "No rule set has this id; `known` lists those that exist.",
    "Use an id of GET /v1/rules.",
    "请用 GET /v1/rules 里的编号。",
)
BAD_NOTATION = ProblemType(
    "bad-notation",
    422,
    "Hand notation not understood",
    "牌谱写法有误",
    "`position` counts characters from 0 to where reading stopped.",
    "Write runs as 123m55pE, melds in brackets, the winning tile last after +: 23m55pEEE[567m][999s]+1m.",
    "写法：123m55pE，副露用方括号，和牌张在最后加号后：23m55pEEE[567m][999s]+1m。",
)
BUSY = ProblemType(
    "busy",
    429,
    "Too many photos waiting",
    "排队的照片太多",
    "All readers are busy and the queue is full; nothing was read.",
    "Send the same request again after Retry-After seconds.",
    "请在 Retry-After 秒后重试。",
)
INTERNAL = ProblemType(
    "internal",
    500,
    "Error in the service",
    "服务内部错误",
    "A fault of the service, not of the request. It is logged under the request id.",
    "Report the request id to the operator; the same request may work later.",
    "请把 request_id 告诉管理员。",
)
MODEL_UNAVAILABLE = ProblemType(
    "model-unavailable",
    503,
    "Model not available",
    "识别模型不可用",
    "The weights that read photos are missing or do not open. Scoring works.",
    "Operator: run `hupai models list`. Caller: enter the hand by tiles meanwhile.",
    "管理员请运行 hupai models list；可先手动输入牌。",
)
TIMEOUT = ProblemType(
    "timeout",
    503,
    "Reading took too long",
    "识别超时",
    "The photo was not read within the service's time limit.",
    "Try again later, or send a smaller photo.",
    "请稍后重试，或上传更小的照片。",
)
HAND_IN_USE = ProblemType(
    "hand-in-use",
    409,
    "Hand is needed elsewhere",
    "此手牌仍被使用",
    "A case or something else that is kept refers to this hand, so it is not deleted.",
    "Delete or close what refers to it first.",
    "请先处理引用它的案件。",
)
PRECONDITION_FAILED = ProblemType(
    "precondition-failed",
    412,
    "The hand has changed",
    "手牌已被更改",
    "If-Match names another version than the hand has now; nothing was changed.",
    "Fetch the hand again and repeat the change on what it is now.",
    "请重新读取后再修改。",
)
IDEMPOTENCY_KEY_REUSED = ProblemType(
    "idempotency-key-reused",
    422,
    "Idempotency-Key used for another request",
    "Idempotency-Key 已用于其他请求",
    "This Idempotency-Key was sent before with another photo or form; nothing was read.",
    "Use a new key for a new request, and the same only to repeat one.",
    "新请求请用新的 Idempotency-Key。",
)
TABLE_EXISTS = ProblemType(
    "table-exists",
    409,
    "Table exists",
    "牌桌已存在",
    "A broadcast table has this id already.",
    "Choose another id, or change the table with PATCH.",
    "请换一个名称，或用 PATCH 修改。",
)
PROPOSAL_STALE = ProblemType(
    "proposal-stale",
    409,
    "A newer reading came in",
    "已有新的识别结果",
    "The proposal is no longer the newest of its seat: nothing was put on air.",
    "Look at the newest proposal and approve that.",
    "请查看最新的识别结果后再批准。",
)
NO_FRAMES = ProblemType(
    "no-frames",
    409,
    "No frames here",
    "没有画面",
    "The table takes no pushed frames, has given no picture yet, or another process reads it.",
    "Give the table the source `push` to push frames; otherwise see that its source is connected.",
    "推送画面需将来源设为 push；否则请检查来源是否已连接。",
)
TILE_SET_INCOMPLETE = ProblemType(
    "tile-set-incomplete",
    422,
    "Faces missing or in doubt",
    "牌面不全或有疑问",
    "The photos do not show every face of the set, show one too often, or leave some in doubt; nothing was learnt. "
    "`missing`, `surplus`, `photos` and `tiles` (those with `asked`) say which.",
    "Photograph what is missing, or send the same request again with `answers` for the tiles that are asked for.",
    "请补拍缺少的牌，或在 answers 中确认有疑问的牌后重新提交。",
)
TILE_SET_EXISTS = ProblemType(
    "tile-set-exists",
    409,
    "Tile set exists",
    "牌组已存在",
    "A tile set has this name already.",
    "Take another name, or send `replace` as true.",
    "请换一个名称，或设置 replace。",
)
UNKNOWN_TILE_SET = ProblemType(
    "unknown-tile-set",
    422,
    "Unknown tile set",
    "没有这个牌组",
    "`tile_set` names no set of this service; `known` lists those there are.",
    "Use a name of GET /v1/tile-sets, or `auto` or `none`.",
    "请用 GET /v1/tile-sets 里的名称，或 auto、none。",
)
STORAGE_FULL = ProblemType(
    "storage-full",
    507,
    "No room left",
    "存储空间不足",
    "The service has no room for the photo or the hand. Nothing was stored; what was stored before is whole.",
    "Operator: make room, or delete old hands with `hupai storage prune`. Caller: try again later, or send `store=false`.",
    "管理员请清理空间（hupai storage prune）；可稍后重试，或用 store=false。",
)
STORAGE_UNAVAILABLE = ProblemType(
    "storage-unavailable",
    503,
    "Storage not available",
    "存储不可用",
    "The database or the photo store does not answer. Nothing was stored.",
    "Try again later. Operator: the log says why.",
    "请稍后重试；原因见日志。",
)
CASE_MOVED = ProblemType(
    "case-moved",
    409,
    "The case has gone on",
    "案卷已有新记录",
    "Somebody wrote in the case since it was fetched; `head` is the hash of its last event now. Nothing was written.",
    "Fetch the case again, look at what is new, and decide on that.",
    "请重新读取案卷，看过新记录后再操作。",
)
CASE_REFUSED = ProblemType(
    "case-refused",
    409,
    "Not possible in this case",
    "案卷不允许此操作",
    "What was asked does not fit the case as it stands: it is closed, the proposal is decided, the photo is in it already, "
    "or the correction changes nothing. Nothing was written.",
    "Fetch the case; `may` and the state of each proposal say what is possible.",
    "请重新读取案卷，may 与各更正的状态说明可做什么。",
)
CASE_BROKEN = ProblemType(
    "case-broken",
    500,
    "The case does not hold",
    "案卷校验失败",
    "The log of the case is not what was signed; `where` names the first event that does not hold. Nothing is added to it.",
    "Keep the database as it is, and compare with an exported bundle: `hupai dossier verify`.",
    "请保留数据库原状，并与导出的案卷文件核对（hupai dossier verify）。",
)
SIGNING_KEY = ProblemType(
    "signing-key",
    503,
    "Signing key cannot be used",
    "签名密钥不可用",
    "The installation's key for cases cannot be read, is no key, or others may read it.",
    "Operator: `hupai dossier key` says what is wrong.",
    "管理员请运行 hupai dossier key 查看原因。",
)

TYPES: dict[str, ProblemType] = {
    p.slug: p
    for p in (
        BAD_REQUEST,
        UNAUTHENTICATED,
        FORBIDDEN,
        CROSS_ORIGIN,
        NOT_FOUND,
        METHOD_NOT_ALLOWED,
        NOT_ACCEPTABLE,
        UPLOAD_TIMEOUT,
        TOO_LARGE,
        NOT_A_PICTURE,
        UNSUPPORTED_MEDIA_TYPE,
        INVALID,
        EMPTY_UPLOAD,
        UNREADABLE_PICTURE,
        BAD_SIZE,
        UNKNOWN_RULES,
        BAD_NOTATION,
        BUSY,
        RATE_LIMITED,
        INTERNAL,
        MODEL_UNAVAILABLE,
        TIMEOUT,
        HAND_IN_USE,
        PRECONDITION_FAILED,
        IDEMPOTENCY_KEY_REUSED,
        TABLE_EXISTS,
        PROPOSAL_STALE,
        NO_FRAMES,
        TILE_SET_INCOMPLETE,
        TILE_SET_EXISTS,
        UNKNOWN_TILE_SET,
        STORAGE_FULL,
        STORAGE_UNAVAILABLE,
        CASE_MOVED,
        CASE_REFUSED,
        CASE_BROKEN,
        SIGNING_KEY,
    )
}
"""Every problem type by slug; docs/problems.md is written from it."""

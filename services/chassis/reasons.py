"""The one table of reasons: `reason → (gRPC code, 简体中文, English)`.

Reasons are API: never renamed, never reused. A service appends its lines to its own section (those of
accounts and table are in `reasons_accounts` and `reasons_table`). Texts may name details in braces;
`Refusal("RATE_LIMITED", retry_ms=500)` fills `{retry_ms}`.
"""

from __future__ import annotations

from services.chassis.reason import Reason
from services.chassis.reasons_accounts import ACCOUNTS
from services.chassis.reasons_table import TABLE

_CHASSIS = {
    "UNAUTHENTICATED": Reason("UNAUTHENTICATED", "请先登录。", "Sign in first."),
    "TOKEN_INVALID": Reason(
        "UNAUTHENTICATED", "登录凭证无效，请重新登录。", "The token is not valid; sign in again."
    ),
    "TOKEN_EXPIRED": Reason(
        "UNAUTHENTICATED", "登录已过期，请重新登录。", "The token has expired; sign in again."
    ),
    "PERMISSION_DENIED": Reason("PERMISSION_DENIED", "没有权限。", "You may not do this."),
    "SCOPE_MISSING": Reason(
        "PERMISSION_DENIED",
        "此接口密钥没有所需权限：{scope}。",
        "This API key does not hold the scope that is needed: {scope}.",
    ),
    "QUOTA_EXCEEDED": Reason(
        "RESOURCE_EXHAUSTED",
        "接口密钥的额度已用完（{window}），请稍后再试。",
        "The quota of this API key is used up ({window}); try again later.",
    ),
    "REASON_REQUIRED": Reason(
        "INVALID_ARGUMENT",
        "请写明理由（{least} 到 {most} 个字）。",
        "Say why, in {least} to {most} characters.",
    ),
    "RATE_LIMITED": Reason(
        "RESOURCE_EXHAUSTED", "操作太频繁，请稍后再试。", "Too many requests; try again a little later."
    ),
    "INVALID_ARGUMENT": Reason(
        "INVALID_ARGUMENT", "参数有误：{field}。", "An argument is not valid: {field}."
    ),
    "NOT_FOUND": Reason("NOT_FOUND", "找不到：{what}。", "Not found: {what}."),
    "REQUEST_ID_REUSED": Reason(
        "ALREADY_EXISTS", "同一请求编号的内容不同。", "The request id was used before with other content."
    ),
    "DEADLINE_EXCEEDED": Reason("DEADLINE_EXCEEDED", "操作超时。", "The call took too long."),
    "SHUTTING_DOWN": Reason(
        "UNAVAILABLE", "服务正在重启，请稍后再试。", "The service is restarting; try again."
    ),
    "BODY_TOO_SLOW": Reason("ABORTED", "请求内容传得太慢。", "The body of the request took too long."),
    "MESSAGE_TOO_LARGE": Reason("RESOURCE_EXHAUSTED", "消息过大。", "The message is too large."),
}

_ANTICHEAT: dict[str, Reason] = {}

_CHAT: dict[str, Reason] = {
    "CHANNEL_UNKNOWN": Reason("NOT_FOUND", "没有这个频道。", "There is no such channel."),
    "NOT_A_MEMBER": Reason(
        "PERMISSION_DENIED", "只有同桌玩家可以聊天。", "Only players of this table may do this."
    ),
    "CHAT_OFF": Reason("PERMISSION_DENIED", "这个房间不聊天。", "Nothing is said in this room."),
    "PHRASES_ONLY": Reason(
        "PERMISSION_DENIED", "这个房间只能用快捷语。", "Only ready-made phrases are said in this room."
    ),
    "TEXT_EMPTY": Reason("INVALID_ARGUMENT", "消息是空的。", "The message is empty."),
    "TEXT_TOO_LONG": Reason(
        "INVALID_ARGUMENT", "消息不能超过 {most} 个字。", "A message has at most {most} characters."
    ),
    "PHRASE_UNKNOWN": Reason("INVALID_ARGUMENT", "没有这句快捷语。", "There is no such phrase."),
}

_ECONOMY: dict[str, Reason] = {
    "INSUFFICIENT_FUNDS": Reason(
        "FAILED_PRECONDITION",
        "余额不足：需要 {needed}，现有 {available}（{currency}）。",
        "Not enough {currency}: {needed} needed, {available} there.",
    ),
    "ROOM_CARDS_TOO_FEW": Reason(
        "FAILED_PRECONDITION",
        "房卡不足：需要 {needed} 张，现有 {cards} 张。",
        "Not enough room cards: {needed} needed, {cards} there.",
    ),
    "ROOM_CARDS_CLOSED": Reason(
        "FAILED_PRECONDITION", "这一场的房卡已经结清。", "The room cards of this match are settled."
    ),
    "STAKE_CLOSED": Reason(
        "FAILED_PRECONDITION", "该座位的本场筹码已结清。", "The stake of this seat is closed."
    ),
    "DISPUTE_UNKNOWN": Reason(
        "NOT_FOUND", "没有这个争议局：{round_id}。", "There is no disputed round {round_id}."
    ),
    "DISPUTE_RESOLVED": Reason(
        "FAILED_PRECONDITION",
        "该局已由 {by} 裁定（{outcome}），不能再改。",
        "The round was decided before you by {by} ({outcome}); that stays.",
    ),
    "DISPUTE_OUT_OF_TURN": Reason(
        "FAILED_PRECONDITION",
        "同一场的局须按顺序裁定：先处理 {first}。",
        "Rounds of a match are decided in order: {first} comes first.",
    ),
    "DISPUTE_SIDE_UNUSABLE": Reason(
        "FAILED_PRECONDITION",
        "不能按这一方结算（{why}）。",
        "The round can't be settled for this side ({why}).",
    ),
    "ALERT_UNKNOWN": Reason("NOT_FOUND", "没有这条警报。", "There is no such alert."),
    "ALERT_ACKNOWLEDGED": Reason(
        "FAILED_PRECONDITION", "该警报已由 {by} 确认。", "The alert was acknowledged before you by {by}."
    ),
    "STAKE_UNKNOWN": Reason("NOT_FOUND", "该座位没有本场筹码。", "This seat has no stake."),
    "STAKE_TOO_LARGE": Reason(
        "FAILED_PRECONDITION",
        "桌上筹码补后不能超过 {stake_max}，现有 {stake}。",
        "A stake may not be filled up above {stake_max}; it holds {stake}.",
    ),
    "DAILY_WIN_CAP": Reason(
        "FAILED_PRECONDITION",
        "今天赢的金币已到每日上限 {cap}，明天（0 点起）再来。",
        "You have won today's limit of {cap} coins; come back after midnight (China time).",
    ),
    "DAILY_LOSS_CAP": Reason(
        "FAILED_PRECONDITION",
        "今天输的金币已到每日上限 {cap}，明天（0 点起）再来。",
        "You have lost today's limit of {cap} coins; come back after midnight (China time).",
    ),
    "TOPUP_CLOSED": Reason("FAILED_PRECONDITION", "这里没有开通充值。", "Nothing can be bought here."),
    "PRODUCT_UNKNOWN": Reason("NOT_FOUND", "没有这个充值档位。", "There is no such product."),
    "PACK_UNKNOWN": Reason("NOT_FOUND", "没有这个兑换项。", "Gems buy no such pack."),
    "TOO_MANY_ORDERS": Reason(
        "RESOURCE_EXHAUSTED",
        "未付款的订单已有 {most} 个，请先付款或等它们过期。",
        "{most} orders wait to be paid already; pay one, or wait until they expire.",
    ),
    "ORDER_UNKNOWN": Reason("NOT_FOUND", "没有这个订单。", "There is no such order."),
    "ORDER_NOT_PAID": Reason("FAILED_PRECONDITION", "订单没有付款。", "The order was not paid."),
    "REFUND_TOO_LARGE": Reason(
        "FAILED_PRECONDITION",
        "退款超过可退金额（{most_fen} 分）。",
        "More than is left to go back ({most_fen} fen).",
    ),
    "REFUND_SPENT": Reason(
        "FAILED_PRECONDITION",
        "这笔订单的宝石已用掉一部分（剩 {unspent}），最多可退 {most_fen} 分。",
        "Gems of this order are spent ({unspent} are left); at most {most_fen} fen can go back.",
    ),
    "DEBT_SETTLED": Reason(
        "FAILED_PRECONDITION",
        "这笔订单只欠 {owed} 颗宝石。",
        "Only {owed} gems are owed for this order.",
    ),
    "PROVIDER_UNKNOWN": Reason("NOT_FOUND", "没有这个支付渠道。", "There is no such payment provider."),
    "WEBHOOK_FORGED": Reason("UNAUTHENTICATED", "签名不正确。", "The signature is not right."),
    "WEBHOOK_STALE": Reason(
        "UNAUTHENTICATED",
        "签名时间与服务器相差超过 {window_s} 秒。",
        "It was signed more than {window_s} seconds from now.",
    ),
    "WEBHOOK_MALFORMED": Reason("INVALID_ARGUMENT", "通知内容无法识别。", "The notification can't be read."),
    "RELIEF_NOT_NEEDED": Reason(
        "FAILED_PRECONDITION",
        "金币少于 {below} 才能领取救济金，现有 {gold}（含桌上筹码）。",
        "Relief is for who has less than {below} gold; you have {gold}, stakes included.",
    ),
    "RELIEF_USED_UP": Reason(
        "FAILED_PRECONDITION",
        "今天的 {per_day} 次救济金已领完，明天（0 点起）再来。",
        "Today's {per_day} reliefs are used up; come back after midnight (China time).",
    ),
}

_GATEWAY: dict[str, Reason] = {
    "BAD_MESSAGE": Reason("INVALID_ARGUMENT", "无法识别的消息。", "The message can't be read."),
    "HELLO_REQUIRED": Reason("UNAUTHENTICATED", "连接后须先发送登录凭证。", "Send hello first."),
    "PLAYER_MISMATCH": Reason(
        "FAILED_PRECONDITION",
        "一个连接只能用于一名玩家。",
        "A connection belongs to one player; open another.",
    ),
    "METHOD_UNKNOWN": Reason(
        "UNIMPLEMENTED",
        "没有可供调用的接口：{method}。",
        "There is no method to call by this name: {method}.",
    ),
    "TOO_MANY_CALLS": Reason(
        "RESOURCE_EXHAUSTED",
        "同时进行的请求过多（最多 {most} 个）。",
        "Too many requests at once (at most {most}).",
    ),
    "TOO_MANY_TABLES": Reason(
        "RESOURCE_EXHAUSTED",
        "一个连接最多同时关注 {most} 张牌桌。",
        "One connection listens to {most} tables at most.",
    ),
    "TABLE_UNAVAILABLE": Reason(
        "UNAVAILABLE", "牌桌暂时没有响应，请稍后再试。", "The table does not answer at the moment; try again."
    ),
    "SERVICE_UNAVAILABLE": Reason(
        "UNAVAILABLE",
        "服务暂时不可用，请稍后再试。",
        "The service is not available at the moment; try again.",
    ),
    "INTERNAL": Reason("INTERNAL", "服务器内部错误。", "Internal error."),
    "ORIGIN_NOT_ALLOWED": Reason(
        "PERMISSION_DENIED", "不允许从该网站连接。", "Connections from this web site are not allowed."
    ),
}

_MATCHMAKING: dict[str, Reason] = {
    "HALL_UNKNOWN": Reason("NOT_FOUND", "没有这个场：{hall_id}。", "There is no such hall: {hall_id}."),
    "COINS_TOO_FEW": Reason(
        "FAILED_PRECONDITION",
        "金币不足：至少需要 {entry_min}，现有 {coins}。{advice_zh}",
        "Not enough coins: at least {entry_min} are needed, you have {coins}.{advice_en}",
    ),
    "COINS_TOO_MANY": Reason(
        "FAILED_PRECONDITION",
        "金币 {coins} 超过本场上限 {entry_max}。{advice_zh}",
        "Your {coins} coins are more than is admitted here ({entry_max}).{advice_en}",
    ),
    "ALREADY_WAITING": Reason(
        "FAILED_PRECONDITION", "已经在排队了。", "You are waiting for a match already."
    ),
    "ALREADY_PLAYING": Reason(
        "FAILED_PRECONDITION", "还有一场没有打完。", "You have a match that is not over."
    ),
    "ALREADY_IN_ROOM": Reason(
        "FAILED_PRECONDITION", "已经在房间 {room_code} 里了。", "You are in room {room_code} already."
    ),
    "TICKET_UNKNOWN": Reason("NOT_FOUND", "找不到这次排队。", "There is no such ticket."),
    "TABLE_REFUSED": Reason(
        "FAILED_PRECONDITION", "开不了桌，请稍后再试。", "The table could not be made; try again later."
    ),
    "BOTS_NOT_FOR_COINS": Reason(
        "FAILED_PRECONDITION",
        "金币房间只能由真人坐满。",
        "A room that plays for coins is filled by people only.",
    ),
    "ROOM_UNKNOWN": Reason("NOT_FOUND", "没有这个房间。", "There is no such room."),
    "ROOM_FULL": Reason("FAILED_PRECONDITION", "房间已满。", "The room is full."),
    "ROOM_CLOSED": Reason("FAILED_PRECONDITION", "房间已关闭。", "The room is closed."),
    "ROOM_PLAYING": Reason("FAILED_PRECONDITION", "房间已经开局。", "The room is playing already."),
    "NOT_IN_ROOM": Reason("FAILED_PRECONDITION", "你不在这个房间里。", "You have no place in this room."),
    "NOT_ROOM_OWNER": Reason(
        "PERMISSION_DENIED", "只有房主可以这样做。", "Only the owner of the room may do this."
    ),
    "KICKED_FROM_ROOM": Reason(
        "PERMISSION_DENIED",
        "房主请你离开了这个房间，{minutes} 分钟后才能再进。",
        "The owner has sent you away from this room; you may come back in {minutes} min.",
    ),
    "PLACE_TAKEN": Reason("FAILED_PRECONDITION", "这个座位有人了。", "This place is taken."),
    "SWAP_UNKNOWN": Reason(
        "FAILED_PRECONDITION", "换座请求已经失效。", "This wish to change places is no longer open."
    ),
    "ROOM_RULES_CHANGED": Reason(
        "FAILED_PRECONDITION",
        "房主改了规则，看过再准备。",
        "The owner has changed the rules; look at them before you are ready.",
    ),
    "ROOM_NOT_OVER": Reason(
        "FAILED_PRECONDITION", "这一场还没有打完。", "The match of this room is not over."
    ),
    "ROOM_CODES_EXHAUSTED": Reason(
        "RESOURCE_EXHAUSTED", "房间太多，请稍后再试。", "There are too many rooms; try again later."
    ),
}

_PROGRESS: dict[str, Reason] = {
    "STATISTICS_PRIVATE": Reason(
        "PERMISSION_DENIED", "这位玩家没有公开战绩。", "This player keeps the statistics private."
    ),
}

_SCORING: dict[str, Reason] = {
    "GAME_UNKNOWN": Reason(
        "INVALID_ARGUMENT",
        "没有这个玩法：{game}（有：{known}）。",
        "There is no game {game}; there are {known}.",
    ),
    "PRESET_UNKNOWN": Reason(
        "INVALID_ARGUMENT",
        "没有这套规则：{preset}（有：{known}）。",
        "There is no preset {preset}; there are {known}.",
    ),
    "OPTIONS_INVALID": Reason(
        "INVALID_ARGUMENT", "规则选项有误：{why}。", "The options are not valid: {why}."
    ),
    "HAND_INVALID": Reason("INVALID_ARGUMENT", "牌型有误：{why}。", "This is no hand to score: {why}."),
    "RECORD_TOO_LARGE": Reason(
        "INVALID_ARGUMENT", "牌谱不能超过 {maximum} 字节。", "A record has at most {maximum} bytes."
    ),
}


def _one_table(*sections: dict[str, Reason]) -> dict[str, Reason]:
    table: dict[str, Reason] = {}
    for section in sections:
        twice = table.keys() & section.keys()
        assert not twice, f"reasons listed twice: {sorted(twice)}"
        table.update(section)
    return table


__all__ = ["REASONS", "Reason"]

REASONS = _one_table(
    _CHASSIS, ACCOUNTS, _ANTICHEAT, _CHAT, _ECONOMY, _GATEWAY, _MATCHMAKING, _PROGRESS, _SCORING, TABLE
)
"""Every reason a caller can be given."""

"""Reasons of table: a section of the one table, `reasons.REASONS`."""

from __future__ import annotations

from services.chassis.reason import Reason

TABLE: dict[str, Reason] = {
    "FRIENDS_UNKNOWN": Reason(
        "FAILED_PRECONDITION",
        "暂时查不到好友，请稍后再试。",
        "Your friends can't be looked up at this moment; try again.",
    ),
    "SEATED_HERE": Reason(
        "PERMISSION_DENIED",
        "你坐在这张牌桌上，不能旁观。",
        "You have a seat at this table, so you may not watch it.",
    ),
    "NO_EXTENSION": Reason(
        "FAILED_PRECONDITION", "本场的延时已经用过。", "You have used your extension in this match."
    ),
    "PLAY_UNKNOWN": Reason(
        "NOT_FOUND", "这一手现在看不到。", "That play is not among those that are shown now."
    ),
    "NOT_SEATED": Reason("PERMISSION_DENIED", "你不在这张牌桌上。", "You have no seat at this table."),
    "COMMAND_ID_REUSED": Reason(
        "ALREADY_EXISTS", "同一命令编号的内容不同。", "The command id was used before with other content."
    ),
    "MATCH_OVER": Reason("FAILED_PRECONDITION", "本场已结束。", "The match is over."),
    "TABLE_FROZEN": Reason(
        "FAILED_PRECONDITION", "牌桌出现故障，已冻结。", "The table is frozen after a fault."
    ),
    "ALREADY_SEATED": Reason("FAILED_PRECONDITION", "你已入座。", "You have taken your seat already."),
    "SEAT_PENDING": Reason(
        "FAILED_PRECONDITION", "正在入座，请稍候。", "Your seat is being taken; wait a moment."
    ),
    "NONCE_NOT_DUE": Reason("FAILED_PRECONDITION", "现在不需要公开随机数。", "No nonce is due from you now."),
    "NONCE_WRONG": Reason(
        "INVALID_ARGUMENT", "随机数与之前的承诺不符。", "The nonce does not follow from your chain."
    ),
    "NONCE_TOO_LATE": Reason("FAILED_PRECONDITION", "随机数来得太晚。", "The nonce came too late."),
    "WRONG_PHASE": Reason("FAILED_PRECONDITION", "现在不能这样做。", "This is not possible at the moment."),
    "PLAYER_LEFT": Reason("FAILED_PRECONDITION", "你已离开本场。", "You have left the match."),
    "NO_VOTE": Reason("FAILED_PRECONDITION", "当前没有解散投票。", "No vote is open."),
    "ALREADY_VOTED": Reason("FAILED_PRECONDITION", "你已投过票。", "You have voted already."),
    "ACTION_MALFORMED": Reason("INVALID_ARGUMENT", "无法识别的操作。", "This is no action of the game."),
    "ILLEGAL_ACTION": Reason("FAILED_PRECONDITION", "规则不允许这个操作。", "The rules do not allow this."),
    "ALREADY_ANSWERED": Reason(
        "FAILED_PRECONDITION", "这一问已经回答过。", "The question was answered already."
    ),
    "QUESTION_CLOSED": Reason("FAILED_PRECONDITION", "这一问已经过去。", "The question is no longer open."),
    "UNKNOWN_QUESTION": Reason("FAILED_PRECONDITION", "没有这一问。", "There is no such question."),
    "TABLE_UNKNOWN": Reason("NOT_FOUND", "找不到这张牌桌。", "There is no such table."),
    "TABLE_EXISTS": Reason(
        "ALREADY_EXISTS",
        "同一编号的牌桌已存在，内容不同。",
        "A table of this id exists, made from other content.",
    ),
    "SPECTATORS_NOT_ALLOWED": Reason(
        "PERMISSION_DENIED", "这张牌桌不允许旁观。", "This table has no spectators."
    ),
    "WATCH_LEAVE_NEEDED": Reason(
        "PERMISSION_DENIED",
        "这张牌桌要得到桌上的人同意才能旁观。",
        "Who wants to watch this table needs leave of somebody who sits there.",
    ),
    "WATCH_LEAVE_PENDING": Reason(
        "UNAVAILABLE",
        "已请求旁观，等桌上的人同意。",
        "You have asked to watch; somebody at the table will say.",
    ),
    "WATCH_LEAVE_REFUSED": Reason(
        "PERMISSION_DENIED",
        "桌上的人没有同意旁观，一分钟后可以再问。",
        "You were not let in to watch; you may ask again after a minute.",
    ),
    "WATCH_SENT_AWAY": Reason(
        "PERMISSION_DENIED",
        "桌上的人请你不要再旁观。",
        "Somebody at the table does not let you watch any more.",
    ),
    "WATCH_ASKS_FULL": Reason(
        "RESOURCE_EXHAUSTED", "请求旁观的人太多，请稍后再试。", "Too many ask to watch this table; try again."
    ),
    "WATCH_NOT_ASKED": Reason(
        "FAILED_PRECONDITION", "这个人没有请求旁观。", "That person does not ask to watch."
    ),
    "WATCHERS_FULL": Reason(
        "RESOURCE_EXHAUSTED",
        "旁观的人已满，请先请走几位。",
        "As many watch as may; send somebody away first.",
    ),
    "ROUND_UNKNOWN": Reason("NOT_FOUND", "找不到这一局的牌谱。", "There is no record of this round."),
    "SHARE_UNKNOWN": Reason(
        "NOT_FOUND",
        "这个分享链接不存在、已撤销或已过期。",
        "This link does not exist, was revoked, or has expired.",
    ),
    "SHARES_FULL": Reason(
        "RESOURCE_EXHAUSTED",
        "分享链接最多同时有 {most} 个，请先撤销几个。",
        "You have {most} links, the most there may be; revoke some first.",
    ),
    "FAVOURITES_FULL": Reason(
        "RESOURCE_EXHAUSTED",
        "收藏最多 {most} 局，请先取消几局。",
        "You have {most} favourites, the most there may be; remove some first.",
    ),
    "NOTE_NOT_ALLOWED": Reason(
        "INVALID_ARGUMENT",
        "备注最多 {most} 个字，不能换行。",
        "A note has at most {most} characters and no line breaks.",
    ),
    "RECORD_MALFORMED": Reason("INVALID_ARGUMENT", "这不是一份牌谱：{why}。", "This is no record: {why}."),
    "RECORD_DOES_NOT_HOLD": Reason(
        "FAILED_PRECONDITION", "这份牌谱不成立：{why}。", "This record does not hold: {why}."
    ),
    "RECORD_CHANGED": Reason(
        "FAILED_PRECONDITION",
        "这份牌谱与本平台保存的不同（第 {line} 行），被改动过。",
        "This record was changed: line {line} is not what this platform has kept.",
    ),
    "REPLAYS_BUSY": Reason(
        "UNAVAILABLE", "回放太忙，请稍后再试。", "Too many replays are asked for; try again."
    ),
    "UNKNOWN_GAME": Reason(
        "INVALID_ARGUMENT", "没有这个游戏：{name}；有：{known}。", "There is no game {name}; known: {known}."
    ),
    "UNKNOWN_PRESET": Reason(
        "INVALID_ARGUMENT",
        "没有这个玩法：{name}；有：{known}。",
        "There is no preset {name}; known: {known}.",
    ),
    "UNKNOWN_OPTION": Reason(
        "INVALID_ARGUMENT",
        "没有这个规则选项：{name}；有：{known}。",
        "There is no option {name}; known: {known}.",
    ),
    "UNKNOWN_BOT": Reason(
        "INVALID_ARGUMENT", "没有这个机器人：{name}；有：{known}。", "There is no bot {name}; known: {known}."
    ),
    "BAD_OPTION": Reason(
        "INVALID_ARGUMENT",
        "规则选项 {option} 的值不对；可以是：{allowed}。",
        "Option {option} cannot have this value; allowed: {allowed}.",
    ),
    "SETTLEMENT_PENDING": Reason("UNAVAILABLE", "正在等待结算。", "The match waits for its settlement."),
    "STAKE_SHORT": Reason(
        "FAILED_PRECONDITION",
        "有人桌上的筹码不够再打一局，等待补筹码。",
        "A stake does not reach for another round; the match waits for it to be filled up.",
    ),
    "STAKE_NOT_SHORT": Reason(
        "FAILED_PRECONDITION", "你的筹码现在不需要补。", "Your stake does not need to be filled up now."
    ),
    "STAKE_AMOUNT_WRONG": Reason(
        "INVALID_ARGUMENT", "补的筹码太少或太多。", "This is too little or too much to add to the stake."
    ),
    "STAKE_PENDING": Reason(
        "FAILED_PRECONDITION", "正在补筹码，请稍候。", "Your stake is being filled up; wait a moment."
    ),
    "ROUND_DISPUTED": Reason(
        "FAILED_PRECONDITION",
        "本局审计有争议，等待人工处理。",
        "The audit disputes the round; a person will look.",
    ),
    "MATCH_DISSOLVED": Reason("FAILED_PRECONDITION", "本场已解散。", "The match was dissolved."),
    "LOG_CUT": Reason(
        "FAILED_PRECONDITION",
        "服务器丢失了牌局的部分记录：本局作废，入场金币退回。",
        "The server lost a part of the match's log: the round is void and the stakes return.",
    ),
    "SHARD_BUSY": Reason(
        "RESOURCE_EXHAUSTED", "服务器繁忙，请稍后再试。", "The table server is busy; try again."
    ),
}
